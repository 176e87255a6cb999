/* The command `ooze`: finds the command, parses its arguments, runs it. */
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/report.h"

enum { COMMANDS_MAX = 64 };

static int unknown_command(const char *word)
{
    const char *names[COMMANDS_MAX];
    int count = ooze_command_count < COMMANDS_MAX ? ooze_command_count : COMMANDS_MAX;
    for (int i = 0; i < count; i++) {
        names[i] = ooze_commands[i]->name;
    }
    const char *near = ooze_suggest(word, names, count);
    if (near) {
        return ooze_usage_error(NULL, "unknown command '%s'; did you mean '%s'?", word, near);
    }
    if (word[0] != '-' && ooze_file_exists(word)) {
        return ooze_usage_error(NULL, "'%s' is a file, not a command: ooze run %s -o DIR, perhaps?",
                                word, word);
    }
    return ooze_usage_error(NULL, "unknown %s '%s'; 'ooze help' lists the commands",
                            word[0] == '-' ? "option" : "command", word);
}

static int dispatch(int count, char **words)
{
    if (count < 2) {
        ooze_help_print(NULL);
        return OOZE_EXIT_OK;
    }
    const char *word = words[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        word = "help";
    } else if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
        word = "version";
    }
    const OozeCommand *command = ooze_command_find(word);
    if (!command) {
        return unknown_command(word);
    }
    OozeArguments arguments;
    int code = ooze_arguments_parse(&arguments, command, count - 2, words + 2);
    if (code == OOZE_EXIT_OK && arguments.help) {
        ooze_help_print(command);
    } else if (code == OOZE_EXIT_OK) {
        code = command->run(&arguments);
    }
    ooze_arguments_free(&arguments);
    return code;
}

/* errno of the failed write is lost; polling a pipe shows whether its reader has closed it. */
static bool reader_has_left(void)
{
    struct pollfd pipe = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&pipe, 1, 0) == 1 && (pipe.revents & POLLERR) != 0;
}

int main(int argc, char **argv)
{
    /* line buffering, also of stderr, so that lines of several processes do not mix */
    static char buffer[BUFSIZ];
    setvbuf(stderr, buffer, _IOLBF, sizeof buffer);
    int code = dispatch(argc, argv);
    /* reports a full disk behind a redirection; a pipe closed by its reader is no error */
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == OOZE_EXIT_OK) {
        code = OOZE_EXIT_FAILED;
        if (!reader_has_left()) {
            ooze_report_line("ooze: cannot write the result; is the disk full?");
        }
    }
    return code;
}
