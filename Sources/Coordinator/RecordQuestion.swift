package import BatonStore

/// Something to ask the record, on its own thread.
package struct RecordQuestion: Sendable {
    /// Whether it is answered, too, while the record cannot be written: out of what is on disk, without what waits to be.
    package let toleratesFailure: Bool
    /// Reads what is asked for; to be called where the record is.
    package let answer: @Sendable (any Store) -> RecordAnswer
    private let refusal: @Sendable (StoreError) -> RecordAnswer

    /// Asks something, and goes on with a task.
    ///
    /// - Parameters:
    ///   - pin: the number under which the core pins the jobs that the answer is about.
    ///   - length: how long it may take, where a client waits for it in its turn.
    init<Value: Sendable>(
        pin: UInt64? = nil,
        length: OpenReadings.Length? = nil,
        toleratesFailure: Bool = false,
        _ body: @escaping @Sendable (any Store) throws(StoreError) -> Value,
        then task: @escaping @Sendable (Result<Value, StoreError>) -> CoordinatorTask
    ) {
        self.toleratesFailure = toleratesFailure
        answer = { store in
            do throws(StoreError) {
                return RecordAnswer(task: task(.success(try body(store))), pin: pin, length: length)
            } catch {
                return RecordAnswer(task: task(.failure(error)), pin: pin, length: length)
            }
        }
        refusal = { RecordAnswer(task: task(.failure($0)), pin: pin, length: length) }
    }

    /// What comes of it, where the record could be asked and where it could not.
    package func outcome(of result: Result<RecordAnswer, StoreError>) -> RecordAnswer {
        switch result {
        case .success(let answer): answer
        case .failure(let error): refusal(error)
        }
    }
}

/// What the record answered, to be brought back to ``CoordinatorCore/take(_:at:)``.
package struct RecordAnswer: Sendable {
    /// What is to be done now.
    let task: CoordinatorTask
    /// What is pinned until that is done; nil for nothing.
    let pin: UInt64?
    /// How long it was to take, where a client waits for it in its turn; nil for what nobody waits for so.
    let length: OpenReadings.Length?
}
