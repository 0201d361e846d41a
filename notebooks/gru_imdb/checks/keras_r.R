# The adapters through which the referee sees keras_r.ipynb. It hands in Python's objects, which stay unconverted.

np <- import("numpy", convert = FALSE)
tf <- import("tensorflow")
tensor_names <- c(
  "embedding", "gru.weight_ih", "gru.weight_hh", "gru.bias_ih", "gru.bias_hh", "dense.weight", "dense.bias"
)

swap <- function(w) {  # the gates r, z, n to z, r, n, and back; they are stacked along the first axis
  np$take(w, c(100:199, 0:99, 200:299), axis = 0L)
}

check <- list(
  tensors = function(x, y) tuple(x, y),
  data = function() tuple(tuple(x_train, y_train), tuple(x_test, y_test)),
  load = function(weights) {
    w <- lapply(setNames(nm = tensor_names), function(name) weights[[name]])
    biases <- np$stack(list(swap(w$gru.bias_ih), swap(w$gru.bias_hh)))
    model$set_weights(list(
      w$embedding, swap(w$gru.weight_ih)$T, swap(w$gru.weight_hh)$T, biases, w$dense.weight$T, w$dense.bias
    ))
  },
  read = function() {
    w <- lapply(model$weights, np$array)  # copies
    arrays <- list(
      w[[1]], swap(w[[2]]$T), swap(w[[3]]$T), swap(w[[4]][[0L]]), swap(w[[4]][[1L]]), w[[5]]$T, w[[6]]
    )
    setNames(arrays, tensor_names)
  },
  exact = function() {  # Keras adds an epsilon of 1e-7 before it corrects Adam's bias, the reference 1e-8 after it
    ops <- keras$ops
    apply <- optimizer$apply
    corrected <- function(gradients, variables = NULL) {
      step <- ops$cast(ops$add(optimizer$iterations, 1L), "float32")
      epsilon <- ops$multiply(1e-8, ops$sqrt(ops$subtract(1, ops$power(0.999, step))))
      py_set_attr(optimizer, "epsilon", epsilon)
      apply(lapply(gradients, tf$convert_to_tensor), variables)  # dense: the sum of a word's rows
    }
    py_set_attr(optimizer, "apply", corrected)
    optimizer$build(model$trainable_variables)
  },
  gradients = function(x, y) {  # a step of plain SGD subtracts them; at rate 1024 it is large beside the rounding
    model$compile(keras$optimizers$SGD(1024), loss_fn)
    before <- check$read()
    model$train_on_batch(x, y)
    Map(function(a, b) np$divide(np$subtract(a, b), 1024L), before, check$read())
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
