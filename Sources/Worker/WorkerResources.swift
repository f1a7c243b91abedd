@_spi(Baton) public import BatonOperations
@_spi(Baton) import BatonProcesses

/// A worker's processors, memory, named resources and labels, and the variables of its operations.
@_spi(Baton) public struct WorkerResources: Hashable, Sendable {
    /// The processors in thousandths; nil for those that the process may use.
    public var cpus: Int?
    /// The memory in bytes; nil for that which the process may use.
    public var memory: Int64?
    /// The units of named resources, numbered from 0.
    public var amounts: [String: Int] = [:]
    /// The variables that name an operation's units of a resource, in addition to ``ResourceVariable/name(of:)``.
    public var variables: [String: [String]] = [:]
    /// The labels by name.
    public var labels: [String: String] = [:]
    /// Variables for all operations; an operation's own variables of the same names override them.
    public var environment: [String: String] = [:]
    /// Whether operations inherit only a few of the worker's own variables: `PATH`, `HOME`, `USER`, `SHELL`, `LANG`, `TMPDIR`.
    public var hasCleanEnvironment = false
    /// How the worker enforces limits of memory; nil for control groups where the kernel lets it, and else a look at intervals.
    public var memoryControl: WorkerOffer.MemoryControl?
    /// The limit of memory of an operation that asks for none.
    public var memoryWithoutRequest = MemoryWithoutRequest.unlimited
    /// The shell of commands that were given as a line of text, without a shell of their own; nil for `/bin/sh -c`.
    public var shell: CommandShell?

    /// A limit of memory for operations that ask for none.
    public enum MemoryWithoutRequest: Hashable, Sendable {
        /// No limit.
        case unlimited
        /// Where control groups limit the worker's memory, an equal part of it for each slot; else no limit.
        ///
        /// In a container, an operation that needs too much would otherwise have the kernel kill any process of the container.
        case automatic
        /// A number of bytes.
        case bytes(Int64)
    }

    /// Describes a worker without named resources and labels.
    public init() {}

    /// What the worker tells the coordinator.
    func offer(_ control: WorkerOffer.MemoryControl) -> WorkerOffer {
        WorkerOffer(
            cpus: cpus ?? min(AvailableProcessors().thousandths, Int(ResourceRequest.maximumCPUs)),
            memory: memory ?? min(AvailableMemory().bytes, ByteSize.maximum),
            memoryControl: control,
            resources: amounts,
            labels: labels
        )
    }

    /// The most of the worker's memory that stays for the worker itself when the rest is divided among the slots.
    private static let ownMemory: Int64 = 64 << 20

    /// The limit in bytes of an operation that asks for no memory; nil without a limit.
    ///
    /// - Parameters:
    ///   - slots: the number of operations that the worker runs at once.
    ///   - available: the memory that the process may use.
    func memoryLimitWithoutRequest(slots: Int, of available: AvailableMemory = AvailableMemory()) -> Int64? {
        switch memoryWithoutRequest {
        case .unlimited: return nil
        case .bytes(let bytes): return bytes
        case .automatic:
            guard available.isLimited else { return nil }
            let whole = min(memory ?? available.bytes, available.bytes)
            return max(1, (whole - min(Self.ownMemory, whole / 4)) / Int64(max(1, slots)))
        }
    }

    /// What is wrong, in a sentence; nil if nothing is.
    public var objection: String? {
        let cpusAllowed = 1...Int(ResourceRequest.maximumCPUs)
        if let cpus, !cpusAllowed.contains(cpus) {
            return "A worker has from 0.001 to \(Thousandths.text(of: ResourceRequest.maximumCPUs)) processors."
        }
        if let memory, !(1...ByteSize.maximum).contains(memory) {
            return "A worker has from 1 byte to \(ByteSize.text(of: ByteSize.maximum)) of memory."
        }
        return objectionToAmounts ?? objectionToVariables ?? objectionToLabels ?? objectionToEnvironment
    }

    private var objectionToAmounts: String? {
        guard amounts.count <= ResourceName.maximumCount else {
            return "A worker has at most \(ResourceName.maximumCount) resources."
        }
        var named: [String: String] = [:]
        for (name, amount) in amounts.sorted(by: { $0.key < $1.key }) {
            guard ResourceName.isValid(name) else {
                return "\"\(name.asShown)\" is not a resource's name: \(ResourceName.rule)."
            }
            guard (1...Int(ResourceName.maximumAmount)).contains(amount) else {
                return "A worker has from 1 to \(ResourceName.maximumAmount) of a resource, not \(amount) of \(name)."
            }
            let variable = ResourceVariable.name(of: name)
            if let other = named.updateValue(name, forKey: variable) {
                return "The resources \(other) and \(name) would both be told in \(variable). Rename one of them."
            }
        }
        return nil
    }

    private var objectionToVariables: String? {
        var resources: [String: String] = [:]
        for (name, variables) in variables.sorted(by: { $0.key < $1.key }) {
            guard amounts[name] != nil else {
                return "The worker has no resource \"\(name.asShown)\" whose units a variable could name."
            }
            for variable in variables {
                if let objection = Self.objection(toVariable: variable) { return objection }
                if let other = resources.updateValue(name, forKey: variable) {
                    return other == name
                        ? "The variable \(variable.asShown) is named twice for the resource \(name)."
                        : "The variable \(variable.asShown) cannot name the units of both \(other) and \(name)."
                }
            }
        }
        return nil
    }

    private var objectionToLabels: String? {
        guard labels.count <= ResourceName.maximumCount else {
            return "A worker has at most \(ResourceName.maximumCount) labels."
        }
        for (name, value) in labels.sorted(by: { $0.key < $1.key }) {
            guard ResourceName.isValid(name) else {
                return "\"\(name.asShown)\" is not a label's name: \(ResourceName.rule)."
            }
            guard ResourceName.isValidValue(value) else {
                return "\"\(value.asShown)\" cannot be the value of the label \(name): \(ResourceName.valueRule)."
            }
        }
        return nil
    }

    private var objectionToEnvironment: String? {
        for (name, value) in environment.sorted(by: { $0.key < $1.key }) {
            if let objection = Self.objection(toVariable: name) { return objection }
            guard !value.utf8.contains(0) else {
                return "The variable \(name.asShown) has a NUL in it, which no program can be given."
            }
        }
        return nil
    }

    private static func objection(toVariable name: String) -> String? {
        guard !name.isEmpty, !name.utf8.contains(where: { $0 == 0 || $0 == UInt8(ascii: "=") }) else {
            return "\"\(name.asShown)\" cannot be the name of an environment variable."
        }
        if let obstacle = VariableName.obstacle(in: name) {
            return "\"\(name.asShown)\" has \(obstacle) in it, and cannot be the name of an environment variable."
        }
        return name.hasPrefix("BATON_")
            ? "The variable \(name.asShown) is Baton's own. Choose a name that does not start with BATON_." : nil
    }
}
