@_spi(Baton) @_exported public import BatonOperations

/// How an operation is run, fixed when the operation is added.
///
/// ```swift
/// var options = OperationOptions(retries: 2, timeout: .seconds(600))
/// options.nice = 10
/// options.stdout = "logs/{name}.txt"
/// let build = CommandOperation("make", "all", options: options)
/// ```
///
/// Each option of the command line and of graph files can be set, by its key in graph files: <doc:SwiftOperations> says more.
/// Nil stands for the default. A value outside its range, and an option that makes no sense for the operation, are refused
/// when the operation is added.
///
/// An option takes precedence over what the initialiser of an operation says of the same, such as the environment of a
/// ``CommandOperation``. Properties of an operation that can still change, such as its priority, begin with the value of the option.
@dynamicMemberLookup
public struct OperationOptions: Hashable, Sendable {
    /// What to do when the worker of an operation is lost.
    public enum Restart: Hashable, Sendable {
        /// The operation runs again, under a higher number of the attempt.
        case onLoss
        /// The operation fails with the reason `lost`, and so runs at most once.
        case never
    }

    /// The values that differ from the defaults, by the numbers of their options.
    private var values: [Int: OptionValue] = [:]

    /// Makes options that all have their defaults.
    public init() {}

    /// Sets options; what is left out has its default.
    public init(
        retries: Int = 0,
        retryDelay: Duration = .seconds(1),
        timeout: Duration? = nil,
        delay: Duration? = nil,
        isHeld: Bool = false,
        restart: Restart = .onLoss,
        onFinish: [String]? = nil,
        cpus: Double? = nil,
        memory: Int? = nil,
        resources: [String: Int] = [:],
        labels: [String] = []
    ) {
        self.retries = retries
        self.retryDelay = retryDelay
        self.timeout = timeout
        self.delay = delay
        self.isHeld = isHeld
        self.restart = restart
        self.onFinish = onFinish
        self.cpus = cpus
        self.memory = memory
        self.resources = resources
        self.labels = labels
    }

    /// The value of an option; nil, when it is set, for the default.
    public subscript<Value>(
        dynamicMember declaration: KeyPath<OptionDeclarations, OptionDeclaration<Value>>
    ) -> Value? {
        get { self[OptionDeclarations.shared[keyPath: declaration]] }
        set { self[OptionDeclarations.shared[keyPath: declaration]] = newValue }
    }

    /// Returns these options with one of them changed; nil stands for the default.
    ///
    /// ```swift
    /// let listing = CommandOperation("ls", options: OperationOptions().setting(\.stdout, to: "listing.txt"))
    /// ```
    public func setting<Value>(
        _ declaration: KeyPath<OptionDeclarations, OptionDeclaration<Value>>,
        to value: Value?
    ) -> OperationOptions {
        var changed = self
        changed[dynamicMember: declaration] = value
        return changed
    }

    /// The value of an option.
    subscript<Value>(declaration: OptionDeclaration<Value>) -> Value? {
        get {
            let option = declaration.option
            return (values[option.number] ?? option.defaultValue).flatMap { declaration.value(of: $0) }
        }
        set {
            let option = declaration.option
            let value = newValue.map { declaration.optionValue(of: $0) }
            values[option.number] = value == option.defaultValue ? nil : value
        }
    }

    /// Whether all options have their defaults.
    var isEmpty: Bool { values.isEmpty }
}

extension OperationOptions {
    /// How many times a failed operation is run again; from 0 to 65,535.
    public var retries: Int {
        get { self[OptionDeclarations.shared.retries] ?? 0 }
        set { self[OptionDeclarations.shared.retries] = newValue }
    }

    /// The delay before the first retry, which each further retry doubles, a quarter more or less; up to 10,000 days.
    public var retryDelay: Duration {
        get { self[OptionDeclarations.shared.retryDelay] ?? .seconds(1) }
        set { self[OptionDeclarations.shared.retryDelay] = newValue }
    }

    /// The time limit of each attempt, above zero; nil for none.
    ///
    /// With `timeoutUpTo`, the retry of an attempt that exceeded it has twice as much time, at most so much.
    public var timeout: Duration? {
        get { self[OptionDeclarations.shared.timeout] }
        set { self[OptionDeclarations.shared.timeout] = newValue }
    }

    /// The earliest start, counted from the submission; nil for none.
    public var delay: Duration? {
        get { self[OptionDeclarations.shared.delay] }
        set { self[OptionDeclarations.shared.delay] = newValue }
    }

    /// Whether the operation waits for ``DistributedOperation/release()-65g4h``.
    public var isHeld: Bool {
        get { self[OptionDeclarations.shared.hold] ?? false }
        set { self[OptionDeclarations.shared.hold] = newValue }
    }

    /// What to do when the worker of the operation is lost.
    public var restart: Restart {
        get { self[OptionDeclarations.shared.restart] == RestartPolicy.never.description ? .never : .onLoss }
        set { self[OptionDeclarations.shared.restart] = newValue == .never ? RestartPolicy.never.description : nil }
    }

    /// A command, with its arguments, that the cluster runs once the operation is finished, whatever the outcome.
    public var onFinish: [String]? {
        get { self[OptionDeclarations.shared.onFinish] }
        set { self[OptionDeclarations.shared.onFinish] = newValue }
    }

    /// The processors of the worker that the operation takes, with up to three decimals, in addition to one slot; nil for none.
    public var cpus: Double? {
        get { self[OptionDeclarations.shared.cpus].flatMap { $0 == 0 ? nil : $0 } }
        set { self[OptionDeclarations.shared.cpus] = newValue }
    }

    /// The memory of the worker that the operation takes, in bytes; nil for none.
    ///
    /// A command that uses more is killed, and its operation fails. With `memoryUpTo`, the retry of an attempt that used more has twice
    /// as much memory, at most so much.
    public var memory: Int? {
        get { self[OptionDeclarations.shared.memory] }
        set { self[OptionDeclarations.shared.memory] = newValue }
    }

    /// The units of named resources of the worker that the operation takes, each at least 1.
    public var resources: [String: Int] {
        get { self[OptionDeclarations.shared.resources] ?? [:] }
        set { self[OptionDeclarations.shared.resources] = newValue }
    }

    /// Conditions for the labels of the worker, such as `zone=a`, `zone!=b` or `arch in (x,y)`; all have to hold.
    public var labels: [String] {
        get { self[OptionDeclarations.shared.labels] ?? [] }
        set { self[OptionDeclarations.shared.labels] = newValue }
    }
}

extension OperationOptions {
    /// The parts of a submission for an operation with these options.
    ///
    /// - Throws: ``ClusterError`` `invalid` for a value outside its range, and for an option that makes no sense for the work.
    func parts(of work: Work) throws(ClusterError) -> (template: Template, entry: Entry) {
        var (template, entry) = (Template(work: work), Entry())
        guard !values.isEmpty else { return (template, entry) }
        if memory == 0 { throw ClusterError(.invalid, "An operation takes at least 1 byte of memory, or nil.") }
        for option in OperationOption.all {
            guard let value = values[option.number] else { continue }
            do throws(Refusal) {
                try option.check(value, for: work.kind)
            } catch {
                throw ClusterError(error)
            }
            option.set(value, in: &template, &entry)
        }
        return (template, entry)
    }
}
