# What an R session of the worker begins with, in a place of its own. Its value is the function
# that shows the current plot. `host` is the worker; `.Call(host, words)` tells it something.
tell <- function(...) .Call(host, c(...))

# An error or interrupt that nothing caught: the rest of the batch is not run. Handlers for
# all of a session can only be set at its top level, so this is its first line.
options(repl.begin = function() {
  options(repl.begin = NULL)
  globalCallingHandlers(
    error = function(condition) tell("error"),
    interrupt = function(condition) tell("interrupt")
  )
  invisible()
})

# `readline` gives an interrupt that came while it waited a place to act.
readline <- function(prompt = "") {
  answer <- .Internal(readline(prompt))
  Sys.sleep(0)
  answer
}
environment(readline) <- baseenv()

# So does what waits for a program: the signal of an interrupt is ignored meanwhile.
with_place <- function(waiter) {
  body(waiter) <- call("{", quote(on.exit(Sys.sleep(0))), body(waiter))
  waiter
}

replace_base <- function(name, value) {
  unlockBinding(name, baseenv())
  assign(name, value, envir = baseenv())
  lockBinding(name, baseenv())
}
replace_base("readline", readline)
replace_base("system", with_place(base::system))
replace_base("system2", with_place(base::system2))

folder <- tempfile("plots-")
shown <- new.env(parent = emptyenv())
shown$device <- 0L
shown$page <- 0L

plot_size <- function() {
  value <- function(name, default) {
    given <- getOption(paste0("console.plot.", name))
    if (is.null(given)) default else given
  }
  dpi <- value("dpi", value("res", 96))
  units <- value("units", "px")
  scale <- switch(units, `in` = dpi, cm = dpi / 2.54, mm = dpi / 25.4, px = 1)
  if (is.null(scale)) stop("Cannot plot in \"", units, "\": expected in, cm, mm or px")
  width <- value("width", 800 / scale) * scale
  asp <- value("asp", NULL)
  height <- value("height", if (is.null(asp)) 600 / scale else width * asp / scale) * scale
  list(width = round(width), height = round(height), res = dpi)
}

open_png <- function(file, size) {
  grDevices::png(file, width = size$width, height = size$height, res = size$res, type = "cairo")
}

open_device <- function(...) {
  dir.create(folder, showWarnings = FALSE, mode = "0700")
  shown$size <- plot_size()
  open_png(file.path(folder, "scratch-%d.png"), shown$size)
  grDevices::dev.control(displaylist = "enable")
  shown$device <- grDevices::dev.cur()
  next_page()
}

next_page <- function() {
  shown$page <- shown$page + 1L
  shown$list <- NULL
  shown$drawn <- FALSE
}

is_open <- function() {
  device <- grDevices::dev.list()[names(grDevices::dev.list()) == "png"]
  shown$device %in% device
}

draw <- function(plot) {
  file <- file.path(folder, "plot.png")
  open_png(file, shown$size)
  tryCatch(grDevices::replayPlot(plot), finally = grDevices::dev.off())
  file
}

# Called after every line, and small: what is large and called often is compiled, which takes R long.
show_plot <- function() if (shown$device != 0L) show_device()

show_device <- function() {
  if (!is_open()) return(invisible())
  current <- grDevices::dev.cur()
  on.exit(if (current %in% grDevices::dev.list()) grDevices::dev.set(current))
  grDevices::dev.set(shown$device)
  plot <- grDevices::recordPlot()
  if (is.null(plot[[1L]]) || identical(plot[[1L]], shown$list)) return(invisible())
  shown$list <- plot[[1L]]
  file <- draw(plot)
  # A page on which nothing was drawn yet makes no file.
  if (!file.exists(file)) return(invisible())
  tell("image", file, paste0("plot-", shown$page), if (shown$drawn) "update" else "new")
  shown$drawn <- TRUE
  unlink(file)
  invisible()
}

turn_page <- function() {
  if (grDevices::dev.cur() != shown$device || !is_open()) return(invisible())
  show_plot()
  if (!identical(shown$size, plot_size())) {
    grDevices::dev.off(shown$device)
  } else if (shown$drawn) {
    next_page()
  }
  invisible()
}
setHook("before.plot.new", function(...) {
  if (grDevices::dev.cur() == shown$device && graphics::par("page")) turn_page()
})
setHook("before.grid.newpage", function(...) turn_page())
addTaskCallback(function(...) {
  show_plot()
  TRUE
}, name = "repl")

# Without a folder for its cache, the library that finds fonts complains at each plot.
if (!nzchar(Sys.getenv("XDG_CACHE_HOME")) && file.access("~", 2L) != 0L) {
  Sys.setenv(XDG_CACHE_HOME = file.path(tempdir(), "cache"))
}

plain <- function(lines) gsub(".\b", "", lines)
show_files <- function(files, header = "", title = "", delete.file = FALSE) {
  for (file in files) cat(plain(readLines(file, warn = FALSE)), sep = "\n")
  if (delete.file) unlink(files)
  invisible()
}
as_text <- function(html) {
  text <- paste(html, collapse = "\n")
  text <- gsub("(?is)<(head|script|style)\\b.*?</\\1>", "", text, perl = TRUE)
  text <- gsub("(?i)<h([1-6])[^>]*>", "\n# ", text, perl = TRUE)
  text <- gsub("(?i)<li[^>]*>", "- ", text, perl = TRUE)
  text <- gsub("(?s)<[^>]+>", "", text, perl = TRUE)
  for (entity in list(c("&lt;", "<"), c("&gt;", ">"), c("&quot;", "\""), c("&nbsp;", " "), c("&amp;", "&"))) {
    text <- gsub(entity[1L], entity[2L], text, fixed = TRUE)
  }
  gsub("\n{3,}", "\n\n", text)
}
browse <- function(url) {
  file <- sub("#.*$", "", sub("^file://", "", url))
  if (file.exists(file)) cat(as_text(readLines(file, warn = FALSE)), "\n", sep = "")
  else cat("[repl] browseURL blocked: ", url, "\n", sep = "")
  invisible()
}
edit <- function(...) stop("Cannot open an editor: the session has no terminal")

ours <- list(
  width = 120L, max.print = 200L, help_type = "text", pager = show_files, browser = browse,
  pdfviewer = "echo", editor = edit, menu.graphics = FALSE, bitmapType = "cairo",
  device = open_device
)
if (!identical(getOption("width"), 80L)) ours$width <- NULL
if (!identical(getOption("max.print"), 99999L)) ours$max.print <- NULL
options(ours)
list(show_plot)
