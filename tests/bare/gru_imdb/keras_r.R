# keras of gru_imdb.py in R through reticulate: fit on NumPy arrays. A pass over 1,280 random reviews.
bare_pass <- local({
  library(reticulate)
  Sys.setenv(KERAS_BACKEND = "tensorflow")
  keras <- import("keras")
  np <- import("numpy", convert = FALSE)
  layers <- keras$layers
  model <- keras$Sequential(list(
    keras$Input(list(150L), dtype = "int32"),
    layers$Embedding(30000L, 125L),
    layers$GRU(100L),
    layers$Dense(2L)
  ))
  model$compile(keras$optimizers$Adam(0.001), keras$losses$SparseCategoricalCrossentropy(from_logits = TRUE))
  random <- np$random$RandomState(0L)
  x <- random$randint(0L, 30000L, c(1280L, 150L))$astype("int32")
  y <- random$randint(0L, 2L, 1280L)
  function() model$fit(x, y, batch_size = 64L, verbose = 0L)
})
