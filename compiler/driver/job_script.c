/* See job_script.h. A job has one process (Slurm: task) for each segment that the mapping of any task uses. A node of the batch
 * system is a PPU of the level flagged unit, if that is above the segments, else a segment. A process gets all cores of its segment.
 *
 * Where the model has cards, a process has one at most, and below them are no processors that a batch system could count: a node is what the
 * cards are in, and its cores, which another model of the machine tells (GPU beside CPU-Only), are divided among its processes. */
#include "compiler/driver/job_script.h"
#include "compiler/check/program.h"
#include "compiler/mapping/mapping.h"
#include <string.h>

typedef struct Job {
    const ResolvedMapping *mapping; /* of the task that takes the most segments */
    int64_t processes, on_a_node, nodes;
    int64_t cores;                  /* of a process; 0: the models do not tell */
    int64_t threads;                /* that the program starts on processors in a process, at most */
    bool has_cards;                 /* one for each process */
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

/* Segments that the task's mapping takes; tasks of another model: none. */
static void taken_by(const TaskPlan *task, const MachineModel *model, int64_t *first, int64_t *end) {
    const int64_t each = model_ppus_between(model, model_segment_level(model), (int)model->spaces.count - 1);
    const bool other = task->mapping->model != model;
    *first = other ? 0 : task->ppu_first / each;
    *end = other ? 0 : (task->ppu_end + each - 1) / each;
}

static bool takes_before(const Plan *plan, size_t t, const MachineModel *model, int64_t segment) {
    for (size_t before = 0; before < t; before++) {
        int64_t first, end;
        taken_by(plan->tasks.items[before], model, &first, &end);
        if (segment >= first && segment < end) return true;
    }
    return false;
}

/* That any task takes: each has a process (runtime/lpu/task_ranks.h). */
static int64_t taken_segments(const Plan *plan, const MachineModel *model) {
    int64_t count = 0, first, end;
    for (size_t t = 0; t < plan->tasks.count; t++) {
        taken_by(plan->tasks.items[t], model, &first, &end);
        for (int64_t s = first; s < end; s++) count += !takes_before(plan, t, model, s);
    }
    return count;
}

/* The level of the batch system's nodes. Cards that are segments have a node around them, whether it is flagged or not. */
static int node_level(const MachineModel *model, int segment) {
    int unit = flagged_level(model, FLAG_UNIT), flagged = flagged_level(model, FLAG_SEGMENT);
    if (unit >= 0 && unit < segment) return unit;
    if (!model_is_gpu_level(model, segment) || segment == 0) return segment;
    return flagged >= 0 && flagged < segment ? flagged : segment - 1;
}

static int64_t cores_below(const MachineModel *model, int level) {
    int core = flagged_level(model, FLAG_CORE);
    if (core < level) core = model_compute_level(model, level);
    return core > level ? model_ppus_between(model, level, core) : 1;
}

/* Cores of a node, which is a level of the same name in the first model without cards; 0: there is none. */
static int64_t cores_of_node(const Machine *machine, const char *node) {
    for (size_t m = 0; m < machine->models.count; m++) {
        const MachineModel *model = &machine->models.items[m];
        int level = model_find_space(model, node);
        if (level >= 0 && flagged_level(model, FLAG_GPU) < 0) return cores_below(model, level);
    }
    return 0;
}

/* Of a task on cards the threads are the cards' own. */
static int64_t most_threads(const Plan *plan) {
    int64_t most = 1;
    for (size_t t = 0; t < plan->tasks.count; t++) {
        const ResolvedMapping *mapping = plan->tasks.items[t]->mapping;
        int64_t threads = (mapping->threads + mapping->segments - 1) / mapping->segments;
        if (flagged_level(mapping->model, FLAG_GPU) < 0 && threads > most) most = threads;
    }
    return most;
}

static Job plan_job(const Plan *plan) {
    Job job = {.mapping = largest(plan)};
    if (job.mapping == NULL) return job;
    const MachineModel *model = job.mapping->model;
    int segment = model_segment_level(model), node = node_level(model, segment);
    job.processes = taken_segments(plan, model);
    job.on_a_node = model_ppus_between(model, node, segment);
    job.has_cards = flagged_level(model, FLAG_GPU) >= segment;
    job.cores = job.has_cards ? cores_of_node(job.mapping->machine, model->spaces.items[node].name) / job.on_a_node : cores_below(model, segment);
    if (job.on_a_node > job.processes) job.on_a_node = job.processes;
    job.nodes = (job.processes + job.on_a_node - 1) / job.on_a_node;
    job.threads = most_threads(plan);
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

static void write_head(const Plan *plan, const Options *options, const char *program, const Job *job, Text *out) {
    const char *segment = job->mapping->model->spaces.items[model_segment_level(job->mapping->model)].name;
    text_append(out, "#!/bin/sh\n# ");
    write_plain(out, program, "._-+ ");
    text_append(out, " on ");
    write_plain(out, job->mapping->machine->name, "._-+ ,&()");
    text_printf(out, ": %lld process%s, one for each %s that the mapping uses, ", (long long)job->processes, job->processes == 1 ? "" : "es", segment);
    if (job->has_cards && job->threads == 1) text_append(out, "with a card each.\n");
    else text_printf(out, "with %sup to %lld thread%s each.\n", job->has_cards ? "a card and " : "", (long long)job->threads, job->threads == 1 ? "" : "s");
    write_usage(plan, options, out);
}

/* What a process gets: options of sbatch, a line each, or of srun. */
static void write_share(const Job *job, const char *before, const char *after, Text *out) {
    if (job->cores > 0) text_printf(out, "%s--cpus-per-task=%lld%s", before, (long long)job->cores, after);
    if (job->has_cards) text_printf(out, "%s--gpus-per-task=1%s", before, after);
}

static void write_slurm(const Plan *plan, const Options *options, const char *program, const Job *job, Text *out) {
    write_head(plan, options, program, job, out);
    text_append(out, "#SBATCH --job-name=");
    write_plain(out, program, "._-+");
    text_printf(out, "\n#SBATCH --nodes=%lld\n#SBATCH --ntasks=%lld\n#SBATCH --ntasks-per-node=%lld\n", (long long)job->nodes, (long long)job->processes,
                (long long)job->on_a_node);
    write_share(job, "#SBATCH ", "\n", out);
    text_append(out, "#SBATCH --hint=nomultithread\n#SBATCH --exclusive\n"
                     "# What your cluster wants to know besides: remove one # and fill in.\n"
                     "##SBATCH --time=01:00:00\n##SBATCH --partition=NAME\n##SBATCH --account=NAME\n\n"
                     "# --mpi: pmix for Open MPI, pmi2 for MPICH (srun --mpi=list says what there is). Where Slurm has neither, mpirun asks\n"
                     "# it where to start the processes:\n");
    text_printf(out, "#   exec mpirun -n %lld --map-by ppr:%lld:node", (long long)job->processes, (long long)job->on_a_node);
    if (job->cores > 0) text_printf(out, ":pe=%lld", (long long)job->cores);
    text_append(out, " ./");
    write_plain(out, program, "._-+");
    text_append(out, " \"$@\"\nexec srun --mpi=pmix ");
    write_share(job, "", " ", out);
    text_append(out, "--kill-on-bad-exit=1 ./");
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
