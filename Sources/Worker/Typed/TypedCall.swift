@_spi(Baton) public import BatonKeys
@_spi(Baton) public import BatonOperations
@_spi(Baton) public import BatonWire

/// What a Swift operation's function gets: the argument and the inputs of an attempt, and how to act for the operation.
@_spi(Baton) public struct TypedCall: Sendable {
    /// The bytes of the argument.
    public let argument: [UInt8]
    /// The dependencies with their results, in the order of the dependencies (DE20).
    public let inputs: [TypedInput]
    /// The operation.
    public let operation: OperationID
    /// The operation's name; of an array's element, the array's; nil for none.
    public let name: String?
    /// The number of the array element; nil outside arrays.
    public let arrayNumber: Int64?
    /// The item of the array element; nil outside arrays.
    public let arrayItem: String?
    /// The number of the attempt, from 1.
    public let attempt: UInt32
    /// The name of the operation's queue.
    public let queue: String
    /// The worker's name.
    public let worker: String
    /// The numbers of the units that the attempt holds, by the names of the resources.
    public let units: [String: [Int]]
    /// The coordinator's address, as the worker has it.
    public let coordinator: String
    /// The token with which a client acts as the operation while the attempt runs; nil from a coordinator without keys.
    public let token: OperationToken?
    /// The attempt's span; nil in a cluster without a record.
    public let trace: TraceContext?

    private let progressed: @Sendable (OperationProgress) -> Void

    /// Describes a call.
    ///
    /// - Parameter progressed: takes the progress that the function reports; must not block.
    public init(
        _ assigned: AssignedWork,
        argument: [UInt8],
        worker: String,
        coordinator: String,
        token: OperationToken?,
        trace: TraceContext? = nil,
        progressed: @escaping @Sendable (OperationProgress) -> Void
    ) {
        let assignment = assigned.assignment
        self.argument = argument
        inputs = assigned.inputs
        operation = assignment.operation
        name = assignment.name
        arrayNumber = assignment.arrayNumber
        arrayItem = assignment.arrayItem
        attempt = assignment.attempt
        queue = assigned.queue
        self.worker = worker
        units = assigned.units
        self.coordinator = coordinator
        self.token = token
        self.trace = trace
        self.progressed = progressed
    }

    /// Reports the progress of the attempt.
    ///
    /// The call never blocks. The last report counts, and reaches the coordinator within a fraction of a second; a report after
    /// the end of the attempt has no effect. A message above the limit is cut.
    public func report(_ progress: OperationProgress) {
        var progress = progress
        progress.message = progress.message?.cut(toBytes: WireLimits.maximumProgressMessageLength)
        progressed(progress)
    }
}
