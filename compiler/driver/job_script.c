/* See job_script.h. A job has one process (Slurm: task) for each segment that the mapping of the largest task uses. A node of the batch
 * system is a PPU of the level flagged unit, if that is above the segments, else a segment. A process gets all cores of its segment. */
#include "compiler/driver/job_script.h"
#include "compiler/check/program.h"
#include "compiler/mapping/mapping.h"
#include <string.h>

typedef struct Job {
    const ResolvedMapping *mapping; /* of the task that takes the most segments */
    int64_t processes, on_a_node, nodes, cores;
    int64_t threads;                /* that the program starts in a process, at most */
} Job;

static int flagged_level(const MachineModel *model, unsigned flag) {
    for (size_t level = 0; level < model->spaces.count; level++)
        if (model->spaces.items[level].flags & flag) return (int)level;
    return -1;
}

static const ResolvedMapping *largest(const Plan *plan) {
    const ResolvedMapping *found = NULL;
    for (size_t t = 0; t < plan->tasks.count; t++) {
        const ResolvedMapping *mapping = plan->tasks.items[t]->mapping;
        if (model_segment_level(mapping->model) >= 0 && (found == NULL || mapping->segments > found->segments)) found = mapping;
    }
    return found;
}

static Job plan_job(const Plan *plan) {
    Job job = {.mapping = largest(plan), .threads = 1};
    if (job.mapping == NULL) return job;
    const MachineModel *model = job.mapping->model;
    int segment = model_segment_level(model), unit = flagged_level(model, FLAG_UNIT), core = flagged_level(model, FLAG_CORE);
    job.processes = job.mapping->segments;
    job.on_a_node = unit >= 0 && unit < segment ? model_ppus_between(model, unit, segment) : 1;
    if (job.on_a_node > job.processes) job.on_a_node = job.processes;
    job.nodes = (job.processes + job.on_a_node - 1) / job.on_a_node;
    if (core < segment) core = model_compute_level(model, segment);
    job.cores = core > segment ? model_ppus_between(model, segment, core) : 1;
    for (size_t t = 0; t < plan->tasks.count; t++) {
        const ResolvedMapping *mapping = plan->tasks.items[t]->mapping;
        int64_t threads = (mapping->threads + mapping->segments - 1) / mapping->segments;
        if (threads > job.threads) job.threads = threads;
    }
    return job;
}

static bool is_plain(char c, const char *also) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c != '\0' && strchr(also, c) != NULL);
}

/* A word of a shell. */
static void write_word(Text *out, const char *word) {
    size_t plain = 0;
    while (is_plain(word[plain], "._-+")) plain++;
    if (word[plain] == '\0') {
        text_append(out, word);
        return;
    }
    text_append(out, "'");
    for (; *word != '\0'; word++) {
        if (*word == '\'') text_append(out, "'\\''");
        else text_printf(out, "%c", *word);
    }
    text_append(out, "'");
}

/* In a comment or an option of Slurm, which has no quotes: what could end it, or be read otherwise, becomes _. */
static void write_plain(Text *out, const char *name, const char *also) {
    for (; *name != '\0'; name++) text_printf(out, "%c", is_plain(*name, also) ? *name : '_');
}

static void write_usage(const Plan *plan, const Options *options, Text *out) {
    text_append(out, "# Submit it from the folder of the program, with the program's arguments:\n#\n#   sbatch ");
    write_plain(out, options->output != NULL ? options->output : "job.slurm", "._-/+");
    const Program *program = plan->program;
    for (size_t a = 0; a < program->args.count; a++) {
        const ProgramArg *arg = &program->args.items[a];
        text_printf(out, " %s=%s", arg->name, arg->is_input_path || arg->is_output_path ? "FILE" : "VALUE");
    }
    text_append(out, "\n#\n# Executable and files lie in a folder that all nodes share.\n");
}

static void write_slurm(const Plan *plan, const Options *options, const char *program, const Job *job, Text *out) {
    const char *segment = job->mapping->model->spaces.items[model_segment_level(job->mapping->model)].name;
    text_append(out, "#!/bin/sh\n# ");
    write_plain(out, program, "._-+ ");
    text_append(out, " on ");
    write_plain(out, job->mapping->machine->name, "._-+ ,&()");
    text_printf(out, ": %lld process%s, one for each %s that the mapping uses, with up to %lld thread%s each.\n", (long long)job->processes,
                job->processes == 1 ? "" : "es", segment, (long long)job->threads, job->threads == 1 ? "" : "s");
    write_usage(plan, options, out);
    text_append(out, "#SBATCH --job-name=");
    write_plain(out, program, "._-+");
    text_printf(out, "\n#SBATCH --nodes=%lld\n#SBATCH --ntasks=%lld\n#SBATCH --ntasks-per-node=%lld\n#SBATCH --cpus-per-task=%lld\n", (long long)job->nodes,
                (long long)job->processes, (long long)job->on_a_node, (long long)job->cores);
    text_append(out, "#SBATCH --hint=nomultithread\n#SBATCH --exclusive\n"
                     "# What your cluster wants to know besides: remove one # and fill in.\n"
                     "##SBATCH --time=01:00:00\n##SBATCH --partition=NAME\n##SBATCH --account=NAME\n\n"
                     "# --mpi: pmix for Open MPI, pmi2 for MPICH (srun --mpi=list says what there is). Where Slurm has neither, mpirun asks\n"
                     "# it where to start the processes:\n");
    text_printf(out, "#   exec mpirun -n %lld --map-by ppr:%lld:node:pe=%lld ./", (long long)job->processes, (long long)job->on_a_node, (long long)job->cores);
    write_plain(out, program, "._-+");
    text_printf(out, " \"$@\"\nexec srun --mpi=pmix --cpus-per-task=%lld --kill-on-bad-exit=1 ./", (long long)job->cores);
    write_word(out, program);
    text_append(out, " \"$@\"\n");
}

bool job_script(const Plan *plan, const Options *options, const char *program, Diags *diags, Text *out) {
    Job job = plan_job(plan);
    if (job.mapping == NULL) {
        Diag *diag = diag_error_plain(diags, E_JOB, "--launcher: no space of the model is a segment, so that there is one process, which needs no launcher");
        diag_help(diag, "give the model of a cluster with --model, in which the level of its nodes has the flag <segment>");
        return false;
    }
    write_slurm(plan, options, program, &job, out);
    return true;
}
