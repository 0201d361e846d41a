# The adapters through which the referee sees keras_r.ipynb. It hands in Python's objects, which stay unconverted.

tensor_names <- paste(rep(c("conv1", "conv2", "conv3", "conv4", "dense1", "dense2"), each = 2), c("weight", "bias"), sep = ".")

native <- function(name, w) {
  if (name == "dense1.weight") {  # Flatten runs over (height, width, channel)
    w <- w$reshape(512L, 100L, 8L, 8L)$transpose(0L, 2L, 3L, 1L)$reshape(512L, 6400L)
  }
  if (length(w$shape) == 4) w$transpose(2L, 3L, 1L, 0L) else w$T
}

shared <- function(name, w) {
  w <- if (length(w$shape) == 4) w$transpose(3L, 2L, 0L, 1L) else w$T
  if (name == "dense1.weight") {
    w <- w$reshape(512L, 8L, 8L, 100L)$transpose(0L, 3L, 1L, 2L)$reshape(512L, 6400L)
  }
  np$array(w)  # a copy
}

check <- list(
  tensors = function(x, y) tuple(np$ascontiguousarray(x$transpose(0L, 2L, 3L, 1L)), y),
  data = function() {
    first <- function(x) x$transpose(0L, 3L, 1L, 2L)
    tuple(tuple(first(x_train), y_train), tuple(first(x_test), y_test))
  },
  load = function(weights) {
    model$set_weights(lapply(tensor_names, function(name) native(name, weights[[name]])))
  },
  read = function() {
    arrays <- lapply(model$weights, np$asarray)
    setNames(Map(shared, tensor_names, arrays), tensor_names)
  },
  gradients = function(x, y) {  # the first step of SGD at rate 1 subtracts them, whatever the momentum
    before <- check$read()
    py_set_attr(model$optimizer, "learning_rate", 1)
    model$train_on_batch(x, y)
    Map(np$subtract, before, check$read())
  },
  train = function(x, y, order) {
    losses <- numeric()
    collect <- keras$callbacks$LambdaCallback(  # the loss in fit's logs is a mean, here begun anew at each mini-batch
      on_train_batch_begin = function(batch, logs) model$reset_metrics(),
      on_train_batch_end = function(batch, logs) losses[batch + 1] <<- logs$loss
    )
    given <- lapply(list(x, y), np$take, order, axis = 0L)
    model$fit(given[[1]], given[[2]], batch_size = BATCH_SIZE, shuffle = FALSE, verbose = 0L, callbacks = list(collect))
    as.array(losses)
  },
  loss = function(x, y) model$evaluate(x, y, batch_size = BATCH_SIZE, verbose = 0L, return_dict = TRUE)$loss,
  predict = function(x) as.array(predict_classes(model, x)),
  evaluate = function(x, y) evaluate(model, x, y),
  synchronize = function() invisible(np$asarray(model$weights[[1]])),  # a copy of a weight waits for the last update
  peak_memory = function() 0  # of a GPU
)
