// The line of make below with-job: a process that has with-job do its work, in C, because such a process starts in an eighth of the time
// of one with the libraries of Baton.
#pragma once

// The form of the messages; with-job refuses another one.
#define CLINE_PROTOCOL 2

// The variable of the environment with the path of with-job's socket.
#define CLINE_SOCKET_VARIABLE "BATON_LINES"

// The variable that tells a make-shell with which line it goes on: the key of the submission, the attempt whose output came last, the bytes
// of its that are written to standard output and to standard error, and the number of the signal that has come or 0, with spaces between.
#define CLINE_REST_VARIABLE "BATON_LINE_REST"

// The most bytes of a message to the line.
#define CLINE_LONGEST_MESSAGE (1 << 16)

// A message is its kind in one byte, the length of its content in four (the lowest byte first, as in all numbers), and the content.
enum cline_kind {
    // From the line.

    // The beginning: four numbers of four bytes (the protocol, the file mode creation mask, how many arguments, how many variables), then
    // texts that end with a zero byte: PWD if it names the directory of the process, else nothing; the directory; the arguments of
    // make-shell; the environment.
    CLINE_CALL = 1,
    // The output of the last message is written.
    CLINE_WRITTEN,
    // The output of the last message could not be written; the content is errno.
    CLINE_UNWRITABLE,
    // A signal has come, whose number is the content.
    CLINE_SIGNAL,

    // To the line.

    // The key of the submission that follows from the call.
    CLINE_KEY,
    // Output of the operation, which the line confirms.
    CLINE_STANDARD_OUTPUT,
    CLINE_STANDARD_ERROR,
    // A sentence for standard error.
    CLINE_NOTE,
    // The end, with the exit status in the content.
    CLINE_EXIT,
    // The end, as by the signal in the content.
    CLINE_DEATH,
    // Nothing of the line has run: it has to run in another way.
    CLINE_REFUSAL,
    // The output from here on is that of the attempt whose number is the content; before the first such message, that of attempt 1.
    CLINE_ATTEMPT,
};

// The shell of make-shell.
#define CLINE_USUAL_SHELL "/bin/sh"

// Where the line is among the arguments with which make calls a shell, its .SHELLFLAGS before it; -1 without -c or without a line.
//
// The arguments are read as sh(1) and bash(1) do.
int cline_line_position(int count, char *const *words);

// Whether a word of a line is a name of make, such as what $(MAKE) has become, wherever the word stands.
//
// make has the same rule: a line of a recipe that has $(MAKE) in any place is a recursion, and gets the jobserver. A shell's grammar is
// not asked, so that "cd sub && make", "sh -c 'make x'" and "env V=1 make" are found alike. A line that only mentions make is taken for
// a recursion, too.
int cline_names_make(const char *line);

// Finds the descriptors of the jobserver's pipe in the text of MAKEFLAGS; returns 0 without a jobserver, and for one behind a named pipe.
int cline_jobserver(const char *flags, int *reading, int *writing);

// Whether a line is a recursion of make, which needs the jobserver, and whose lines need the slots: it names make, or make has given it
// the jobserver, whose descriptors it leaves open for no other line.
//
// The text of MAKEFLAGS may be missing.
int cline_runs_here(const char *line, const char *flags);

// Runs the line of a call "baton make-shell ...", and ends the process as it ends; becomes the shell for a line that runs here. Returns if
// the arguments are other ones, if there is no with-job or if with-job refuses the line: the program has to run the line then. Also returns
// once with-job has gone while it ran the line, with CLINE_REST_VARIABLE set.
//
// The process has one thread.
void cline_run(int count, char **arguments);
