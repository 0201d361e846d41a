# What answers the referee in a kernel of R. Python calls these functions with Python's own objects, not converted.
begin_referee <- function(job) {
  library(reticulate)
  plain <- py_to_r
  text <- function(x) as.character(plain(x))
  python <- function(f) r_to_py(f, convert = FALSE)
  place <- globalenv()
  captured <- function(code) invisible(utils::capture.output(code))
  bridge <- list(
    has = function(name) exists(text(name), envir = place, inherits = FALSE),
    get = function(name) get(text(name), envir = place, inherits = FALSE),
    set = function(name, value) {
      value <- plain(value)
      assign(text(name), if (is.list(value)) unlist(value) else value, envir = place)
      NULL
    },
    settings = function(source) {
      own <- new.env(parent = globalenv())
      eval(parse(text = text(source)), own)
      as.list(own)
    },
    execute = function(source, name) {
      cell <- parse(text = text(source), srcfile = srcfilecopy(text(name), text(source)))
      captured(for (expression in cell) eval(expression, place))
      NULL
    },
    check = function() lapply(get("check", envir = place), python),
    say = function(what) {
      cat(text(what))
      NULL
    },
    versions = function() {
      packages <- c("reticulate", "IRkernel")
      there <- packages[packages %in% rownames(utils::installed.packages())]
      found <- lapply(there, function(name) as.character(utils::packageVersion(name)))
      c(list(R = as.character(getRversion())), stats::setNames(found, there))
    }
  )
  import("referee.languages.r")$Referee(job, lapply(bridge, python))
}
