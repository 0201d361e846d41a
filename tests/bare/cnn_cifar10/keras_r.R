# keras of cnn_cifar10.py in R through reticulate: fit on NumPy arrays. A pass over 1,280 random images.
bare_pass <- local({
  library(reticulate)
  Sys.setenv(KERAS_BACKEND = "tensorflow")
  keras <- import("keras")
  np <- import("numpy", convert = FALSE)
  layers <- keras$layers
  model <- keras$Sequential(list(
    keras$Input(c(32L, 32L, 3L)),
    layers$Conv2D(50L, 3L, padding = "same", activation = "relu"),
    layers$Conv2D(50L, 3L, padding = "same"),
    layers$MaxPooling2D(),
    layers$ReLU(),
    layers$Dropout(0.25),
    layers$Conv2D(100L, 3L, padding = "same", activation = "relu"),
    layers$Conv2D(100L, 3L, padding = "same"),
    layers$MaxPooling2D(),
    layers$ReLU(),
    layers$Dropout(0.25),
    layers$Flatten(),
    layers$Dense(512L, activation = "relu"),
    layers$Dropout(0.5),
    layers$Dense(10L)
  ))
  model$compile(keras$optimizers$SGD(0.01, 0.9), keras$losses$SparseCategoricalCrossentropy(from_logits = TRUE))
  random <- np$random$RandomState(0L)
  x <- random$rand(1280L, 32L, 32L, 3L)$astype("float32")
  y <- random$randint(0L, 10L, 1280L)
  function() model$fit(x, y, batch_size = 64L, verbose = 0L)
})
