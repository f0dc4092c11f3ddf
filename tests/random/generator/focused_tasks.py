"""Whole programs of several tasks for focused.py, each a piece of Spaces within Spaces: they share arrays, which each divides in its own ways. Tasks
are executed several times, with other partition arguments, and what an environment has is bound to other data in between."""


class Environment:
    """Of a task: the name in the Program; what it has been given, and what each array is: names of data, of which each execution that creates makes new ones."""

    def __init__(self, name, task_name, task):
        self.name, self.task_name, self.task, self.data = name, task_name, task, {}


class Tasks:
    def several(self):
        rank = self.pick((1, 1, 2))
        self.shape = rank, [self.rng.randint(8, 18 if rank == 1 else 10) for _ in range(rank)], self.pick((0, 0, 0, -2, 3))
        self.tasks = []
        for number, name in enumerate(("T", "U", "V")[:self.pick((1, 2, 2, 2, 3))]):
            task = self if number == 0 else type(self)(self.rng)
            task.shape, task.counter = self.shape, 200 * number
            flow, _ = self.pick((task.turns, task.padded_turns, task.indexed_turns))()
            task.whole_flow = (task.starts if number == 0 or self.chance(0.5) else []) + [flow]
            self.tasks.append((name, task))
        self.made, self.executed, lines, environments = 0, [], ["Program (args) {"], []
        for number in range(self.rng.randint(len(self.tasks), 4)):
            environment = Environment(f"env{number + 1}", *self.tasks[number if number < len(self.tasks) else self.rng.randrange(len(self.tasks))])
            lines.append(f'    {environment.name} = new TaskEnvironment(name: "{environment.task_name}")')
            if not self.enter(environment, environments, lines):
                lines.pop()
                continue
            environments.append(environment)
            for _ in range(self.rng.choice((0, 0, 1, 1, 2))):
                again = self.pick(environments)
                if self.chance(0.6):
                    self.rebind(again, environments, lines)
                lines.append(self.execution(again))
        for environment in environments:
            for array in environment.task.arrays:
                self.outputs.append(f"{environment.name}_{array[0]}")
                lines.append(f'    bind_output({environment.name}, "{array[0]}", args.{self.outputs[-1]})')
        lines += ["}", ""]
        for name, task in self.tasks:
            lines += task.task_text(name, task.whole_flow) + [""]
        self.features.add("tasks that share arrays")
        return "\n".join(self.header() + lines) + "\n"

    def enter(self, environment, others, lines):
        """Draws which of its task's arrays are linked, if that has no environment so far, binds them, and executes it; False: what it needs is not there."""
        task, bound = environment.task, []
        first = not any(other.task is task for other in others)
        for array in task.arrays:
            choices = self.choices(environment, array, others)
            if first and choices and self.chance(0.6):
                task.links[array[0]] = self.pick(("link", "link", "link", "link_or_create"))
            word = task.links.get(array[0])
            if word and choices and (word == "link" or self.chance(0.7)):
                bound.append(self.bind(environment, array, choices))
            elif word == "link":
                return False
        lines += bound + [self.execution(environment)]
        return True

    def choices(self, environment, array, others):
        """Arrays of its type in other environments, data that it has under no other name."""
        own = set(environment.data.values())
        return [(other, name) for other in others if other is not environment for name, kind in ((a[0], a[2]) for a in other.task.arrays)
                if kind == array[2] and name in other.data and other.data[name] not in own]

    def bind(self, environment, array, choices):
        other, name = self.pick(choices)
        environment.data[array[0]] = other.data[name]
        return f"    {environment.name}.{array[0]} = {other.name}.{name}"

    def rebind(self, environment, others, lines):
        for array in environment.task.arrays:
            choices = self.choices(environment, array, others)
            if environment.task.links.get(array[0]) and choices and self.chance(0.6):
                lines.append(self.bind(environment, array, choices))

    def execution(self, environment):
        task = environment.task
        for array in task.arrays:
            if array[0] not in environment.data or not task.links.get(array[0]):
                self.made += 1
                environment.data[array[0]] = self.made
        text = f'    execute(task: "{environment.task_name}"; environment: {environment.name}'
        if task.initial:
            text += "; initialize: " + ", ".join("args." + n for n in task.initial)
        if task.args:
            other = {k for k in task.args if self.chance(0.3)} if task in self.executed and self.chance(0.5) else ()
            for k in sorted(other):
                task.again.setdefault(k + "b", max(1, task.args[k] + self.rng.randint(-1, 1)))
            text += "; partition: " + ", ".join(f"args.{k}b" if k in other else f"args.{k}" for k in task.args)
        self.executed.append(task)
        return text + ")"
