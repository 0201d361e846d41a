# The adapters through which the referee sees keras_r.ipynb. It hands in Python's objects, which stay unconverted.
check <- list(
  tensors = function(photos) preprocess(photos),
  data = function() tuple(x, data$y_test),
  load = function(arrays) load_weights(model, arrays),
  features = function(x) features(model, x),
  logits = function(found) logits(model, found),
  stages = function(x) {
    found <- list(images = x)
    for (part in tail(head(body$layers, -1), -1)) {  # stem, stage2a, stage2b, ...
      found[[substr(part$name, 1, 6)]] <- x <- part$predict_on_batch(x)
    }
    found
  },
  peak_memory = function() 0  # of a GPU
)
