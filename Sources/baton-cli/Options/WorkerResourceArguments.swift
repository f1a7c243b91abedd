@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonProcesses
@_spi(Baton) import BatonWorker

/// What a worker has for operations beside its slots.
struct WorkerResourceArguments: ParsableArguments {
    /// The value of `--memory-control`.
    enum MemoryControl: String, CaseIterable, ExpressibleByArgument {
        case auto, cgroup, sampling

        /// The worker's way; nil if the worker finds out.
        var way: WorkerOffer.MemoryControl? { WorkerOffer.MemoryControl(rawValue: rawValue) }
    }

    @Option(
        help: ArgumentHelp(
            "Processors for operations (default: those that the worker may use, by its affinity and its control groups).",
            valueName: "n"
        ),
        transform: { (text: String) in Int(try ResourceArgument.processors(text, from: 1)) }
    )
    var cpus: Int?

    @Option(
        help: ArgumentHelp(
            "Memory for operations (default: that which the worker may use, by its host and its control groups).",
            valueName: "size"
        ),
        transform: { (text: String) in try ResourceArgument.size(text, from: 1) }
    )
    var memory: Int64?

    @Option(
        help: ArgumentHelp(
            """
            Limit of memory of an operation that asks for none: a size, auto or none. auto is none, except where control groups \
            limit the worker, as in a container: there each slot has an equal part of the worker's memory (default: auto).
            """,
            valueName: "size"
        ),
        completion: .list(["auto", "none"]),
        transform: { (text: String) in try WorkerResourceArguments.defaultMemory(text) }
    )
    var defaultMemory = WorkerResources.MemoryWithoutRequest.automatic

    @Option(
        help: ArgumentHelp(
            """
            Units of a resource, such as gpu=2, numbered from 0. An operation that asks for some gets their numbers in \
            BATON_RESOURCE_GPU; no two operations at once get the same number.
            """,
            valueName: "name=amount"
        ),
        transform: { (text: String) in
            let (name, amount) = try ResourceArgument.amount(text)
            return Pair(name: name, value: Int(amount))
        }
    )
    var resource: [Pair<Int>] = []

    @Option(
        help: ArgumentHelp(
            "Another variable for the numbers of a resource's units, such as gpu=CUDA_VISIBLE_DEVICES.",
            valueName: "name=variable"
        ),
        transform: { (text: String) in
            try Pair.read(text, "a resource and a variable, such as gpu=CUDA_VISIBLE_DEVICES")
        }
    )
    var resourceEnv: [Pair<String>] = []

    @Option(
        help: ArgumentHelp(
            "Label of the worker, for operations that ask for it, such as zone=a.",
            valueName: "name=value"
        ),
        transform: { (text: String) in try Pair.read(text, "a label and its value, such as zone=a") }
    )
    var label: [Pair<String>] = []

    @Option(
        help: ArgumentHelp(
            "Environment variable for all operations; an operation's own --env overrides it.",
            valueName: "name=value"
        ),
        transform: { (text: String) in try Pair.read(text, "a variable and its value, such as LANG=C") }
    )
    var env: [Pair<String>] = []

    @Flag(
        help: """
            Give operations only PATH, HOME, USER, SHELL, LANG and TMPDIR of the worker's own environment, beside --env and the \
            operation's variables. Without it they get all of it except BATON_*.
            """
    )
    var cleanEnv = false

    @Option(
        help: ArgumentHelp(
            """
            How the memory of operations is limited: by a control group for each (cgroup), or by looking at it every 250 ms \
            (sampling); auto is cgroup where the kernel lets the worker, else sampling.
            """,
            valueName: "way"
        )
    )
    var memoryControl = MemoryControl.auto

    @Option(
        help: ArgumentHelp(
            """
            Shell with its options, such as 'bash -euo pipefail -c', for the commands that were given as a line of text and would run \
            under /bin/sh -c; a shell of the operation's own takes precedence.
            """,
            valueName: "shell"
        ),
        transform: { (text: String) in try ShellArgument.read(text) }
    )
    var shell: CommandShell?

    func validate() throws {
        try ResourceArgument.refuseDuplicates(resource.map(\.name), of: "resource", option: "--resource")
        try ResourceArgument.refuseDuplicates(label.map(\.name), of: "label", option: "--label")
        try ResourceArgument.refuseDuplicates(env.map(\.name), of: "variable", option: "--env")
        if let objection = resources.objection { throw ValidationError(objection) }
    }

    /// The worker's resources.
    var resources: WorkerResources {
        var resources = WorkerResources()
        resources.cpus = cpus
        resources.memory = memory
        resources.amounts = Dictionary(resource.map { ($0.name, $0.value) }) { $1 }
        resources.variables = Dictionary(grouping: resourceEnv, by: \.name).mapValues { $0.map(\.value) }
        resources.labels = Dictionary(label.map { ($0.name, $0.value) }) { $1 }
        resources.environment = Dictionary(env.map { ($0.name, $0.value) }) { $1 }
        resources.hasCleanEnvironment = cleanEnv
        resources.memoryControl = memoryControl.way
        resources.memoryWithoutRequest = defaultMemory
        resources.shell = shell
        return resources
    }

    private static func defaultMemory(_ text: String) throws -> WorkerResources.MemoryWithoutRequest {
        switch text {
        case "auto": .automatic
        case "none": .unlimited
        default: .bytes(try ResourceArgument.size(text, from: 1))
        }
    }

    /// The resources of temporary workers, which leave the control groups of the host alone.
    static var withoutControlGroups: WorkerResourceArguments {
        var resources = WorkerResourceArguments()
        resources.memoryControl = .sampling
        resources.defaultMemory = .unlimited
        return resources
    }

    /// The resources of each of some workers of a host: what is not given is divided among them.
    func divided(among count: Int) -> WorkerResourceArguments {
        guard count > 1 else { return self }
        var part = self
        part.cpus = cpus ?? max(1, min(AvailableProcessors().thousandths, Int(ResourceRequest.maximumCPUs)) / count)
        part.memory = memory ?? max(1, min(AvailableMemory().bytes, ByteSize.maximum) / Int64(count))
        return part
    }

    private var defaultMemoryArguments: [String] {
        switch defaultMemory {
        case .automatic: []
        case .unlimited: ["--default-memory", "none"]
        case .bytes(let bytes): ["--default-memory", ByteSize.text(of: bytes)]
        }
    }

    /// The arguments for a worker with these resources.
    var arguments: [String] {
        (cpus.map { ["--cpus", Thousandths.text(of: Int64($0))] } ?? [])
            + (memory.map { ["--memory", ByteSize.text(of: $0)] } ?? [])
            + resource.map { "--resource=\($0.name)=\($0.value)" }
            + resourceEnv.map { "--resource-env=\($0.name)=\($0.value)" }
            + label.map { "--label=\($0.name)=\($0.value)" }
            + env.map { "--env=\($0.name)=\($0.value)" }
            + (cleanEnv ? ["--clean-env"] : [])
            + defaultMemoryArguments
            + (memoryControl == .auto ? [] : ["--memory-control", memoryControl.rawValue])
            + (shell.map { ["--shell", $0.words.joined(separator: " ")] } ?? [])
    }
}

/// A name with a value, such as `zone=a`.
struct Pair<Value: Sendable>: Sendable {
    let name: String
    let value: Value
}

extension Pair<String> {
    /// Reads a name and a value; the value may be empty or contain `=`.
    ///
    /// - Parameter example: what to provide, for the error.
    static func read(_ text: String, _ example: String) throws(ValidationError) -> Pair {
        guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
            throw ValidationError("Please provide \(example).")
        }
        return Pair(name: String(text[..<equals]), value: String(text[text.index(after: equals)...]))
    }
}
