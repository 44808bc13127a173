/* apart: how far apart are two convex bodies? The program: finds the command and runs it.
 *
 * Exit status: 0 fine, 1 the answer is "no" where a yes/no was asked, 2 bad input or usage. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static const cli_command help_command, version_command;

static const cli_command *const commands[] = {
    &cli_distance_command, &cli_overlap_command,     &cli_verify_command,   &cli_toi_command,   &cli_cases_command,
    &cli_hull_command,     &cli_cover_command,       &cli_scene_command,    &cli_robot_command, &cli_clearance_command,
    &cli_plan_command,     &cli_verify_plan_command, &cli_simulate_command, &cli_view_command,  &cli_lab_command,
    &cli_figure_command,   &cli_job_command,         &version_command,      &help_command,
};

enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static const cli_command *find_command(const char *name)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(commands[i]->name, name) == 0) {
            return commands[i];
        }
    }
    return NULL;
}

static int unknown_command(const char *name)
{
    const char *names[COMMAND_COUNT + 1] = {NULL};
    char suggestion[CLI_TEXT_SIZE];
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        names[i] = commands[i]->name;
    }
    return cli_error("unknown command '%s'%s; see 'apart help'", name, cli_suggestion(name, names, suggestion));
}

static void print_overview(FILE *stream)
{
    fputs("apart: how far apart are two convex bodies?\n\nUsage: apart COMMAND ...\n\n", stream);
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        char left[CLI_TEXT_SIZE];
        snprintf(left, sizeof left, "%s %s", commands[i]->name, commands[i]->operands);
        fprintf(stream, strlen(left) <= 16 ? "  %-16s %s\n" : "  %s\n                   %s\n", left,
                commands[i]->summary);
    }
    fputs(
        "\n'apart help COMMAND' says more. A first try:\n\n  apart distance box:1,1,1 sphere:0.5 --pose-b xyz=3,0,0\n",
        stream);
}

static void print_help(const cli_command *command)
{
    const bool bare = command->options[0] == CLI_HELP;
    printf("apart %s: %s\n\nUsage: apart %s%s%s%s\n\n%s\n", command->name, command->summary, command->name,
           bare ? "" : " [OPTIONS]", command->operands[0] != '\0' ? " " : "", command->operands, command->description);
    cli_print_options(command);
    if (command->examples != NULL) {
        printf("\nExamples:\n%s", command->examples);
    }
}

static int run_help(const cli_settings *settings)
{
    if (settings->operand_count == 0) {
        print_overview(stdout);
        return CLI_YES;
    }
    const cli_command *command = find_command(settings->operands[0]);
    if (command == NULL) {
        return unknown_command(settings->operands[0]);
    }
    print_help(command);
    return CLI_YES;
}

static int run_version(const cli_settings *settings)
{
    if (settings->given[CLI_JSON]) {
        return cli_json_print(json_pack("{s:s}", "apart", apart_version()), stdout, false);
    }
    printf("apart %s\n", apart_version());
    return CLI_YES;
}

static const cli_option_id help_options[] = {CLI_HELP};
static const cli_option_id version_options[] = {CLI_JSON, CLI_HELP};

static const cli_command help_command = {
    .name = "help",
    .operands = "[COMMAND]",
    .max_operands = 1,
    .summary = "explain a command",
    .description = "Without a command, lists all of them.\n",
    .options = help_options,
    .run = run_help,
};

static const cli_command version_command = {
    .name = "version",
    .operands = "",
    .summary = "print the version",
    .description = "The version of the library that runs: major.minor.patch.\n",
    .options = version_options,
    .run = run_version,
};

static int run_command(const cli_command *command, int argc, char **argv)
{
    cli_settings settings = {0};
    int status = CLI_BAD;
    settings.operands = calloc((size_t)argc + 1, sizeof *settings.operands);
    if (settings.operands == NULL) {
        return cli_error("out of memory");
    }
    if (cli_parse(command, argc, argv, &settings) == CLI_YES) {
        if (settings.given[CLI_HELP]) {
            print_help(command);
            status = CLI_YES;
        } else {
            status = command->run(&settings);
        }
    }
    free(settings.operands);
    return status;
}

static int run(int argc, char **argv)
{
    if (argc < 2) {
        print_overview(stderr);
        return CLI_BAD;
    }
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        name = "help";
    } else if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        name = "version";
    }
    const cli_command *command = find_command(name);
    return command != NULL ? run_command(command, argc - 2, argv + 2) : unknown_command(name);
}

int main(int argc, char **argv)
{
    if (cli_check_streams() != CLI_YES) {
        return CLI_BAD;
    }
    return cli_flush_stdout(run(argc, argv));
}
