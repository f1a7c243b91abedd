@_spi(Baton) import BatonBenchmarks
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// Messages, written by one side and read by the other.
enum CodecCost {
    /// The number of attempts in a message.
    private static let messageLength = 100

    /// Attempts on their way to a worker.
    static func dispatches(_ count: Int) throws {
        let messages = stride(from: 0, to: count, by: messageLength).map { start in
            CoordinatorMessage.dispatch(
                DispatchBatch(
                    works: [Work(.commands([["/bin/true"]]), directory: "/tmp")],
                    queues: [Submission.defaultQueue],
                    items: (start..<min(start + messageLength, count)).map(item)
                )
            )
        }
        let read = try measured {
            try messages.map { try $0.encoded().withUnsafeBytes { try CoordinatorMessage(decoding: $0) } }
        }
        precondition(read == messages, "A message is not read as it was written.")
    }

    /// Ends of attempts on their way to the coordinator.
    static func completions(_ count: Int) throws {
        let messages = stride(from: 0, to: count, by: messageLength).map { start in
            let numbers = start..<min(start + messageLength, count)
            return WorkerMessage.report(
                SessionID(rawValue: 1),
                AttemptReport(
                    started: numbers.map { AttemptStart(token($0), age: 2000) },
                    completions: numbers.map { number in
                        Completion(
                            token: token(number),
                            operation: operation(number),
                            result: AttemptResult(end: .exited(0), microseconds: 700),
                            age: 900
                        )
                    }
                )
            )
        }
        let read = try measured {
            try messages.map { try $0.encoded().withUnsafeBytes { try WorkerMessage(decoding: $0) } }
        }
        precondition(read == messages, "A message is not read as it was written.")
    }

    /// A graph on its way to the coordinator.
    static func submission(of count: Int) throws {
        let submission = Workload(.graph, operations: count, kind: .noOperation).submission(seed: 1)
        let message = ClientMessage.request(1, .submit(submission))
        let read = try measured { try message.encoded().withUnsafeBytes { try ClientMessage(decoding: $0) } }
        precondition(read == message, "A message is not read as it was written.")
    }

    private static func item(_ number: Int) -> DispatchBatch.Item {
        let assignment = Assignment(
            token: token(number),
            operation: operation(number),
            attempt: 1,
            arrayNumber: Int64(number),
            arrayItem: String(number)
        )
        return DispatchBatch.Item(assignment, work: 0, queue: 0)
    }

    private static func token(_ number: Int) -> AttemptToken { AttemptToken(epoch: 1, serial: UInt64(number) + 1) }

    private static func operation(_ number: Int) -> OperationID {
        OperationID(job: JobNumber(1), index: UInt32(number))
    }
}
