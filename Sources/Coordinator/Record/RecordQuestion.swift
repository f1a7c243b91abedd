@_spi(Baton) package import BatonStore

/// A question to the record, answered on the record's thread or beside it.
package struct RecordQuestion: Sendable {
    /// Whether the record also answers while changes cannot be committed, without the uncommitted changes.
    package let toleratesFailure: Bool
    /// Reads the answer; to be called on the record's thread.
    package let answer: @Sendable (any Store) -> RecordAnswer
    /// Reads the answer beside the record's thread; nil for a question that only the record itself can answer.
    package let answerBeside: (@Sendable (any RecordReader) -> RecordAnswer)?
    /// The line of a question that is answered beside the record's thread.
    package let line: ReadingLine
    /// The answer to continue with if the record could not be asked.
    package let refusal: @Sendable (StoreError) -> RecordAnswer

    /// Prepares a question and the task that follows.
    ///
    /// - Parameters:
    ///   - pin: the number under which the core pins the jobs of the answer.
    ///   - length: how long the reading may take, if a client waits for the answer in its turn.
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
        answerBeside = nil
        line = .pages
        refusal = { RecordAnswer(task: task(.failure($0)), pin: pin, length: length) }
    }

    /// Prepares a question that any reader can answer, and the task that follows.
    ///
    /// - Parameters:
    ///   - pin: the number under which the core pins the jobs of the answer.
    ///   - length: how long the reading may take, if a client waits for the answer in its turn.
    ///   - isLong: whether the reading takes as long as one of all of a job, whatever the request.
    init<Value: Sendable>(
        pin: UInt64?,
        length: OpenReadings.Length?,
        isLong: Bool,
        beside body: @escaping @Sendable (any RecordReader) throws(StoreError) -> Value,
        then task: @escaping @Sendable (Result<Value, StoreError>) -> CoordinatorTask
    ) {
        let answer: @Sendable (any RecordReader) -> RecordAnswer = { reader in
            do throws(StoreError) {
                return RecordAnswer(task: task(.success(try body(reader))), pin: pin, length: length)
            } catch {
                return RecordAnswer(task: task(.failure(error)), pin: pin, length: length)
            }
        }
        toleratesFailure = false
        self.answer = { store in answer(store) }
        answerBeside = answer
        line = isLong || length == .wholeJob ? .jobs : .pages
        refusal = { RecordAnswer(task: task(.failure($0)), pin: pin, length: length) }
    }
}

/// An answer from the record, or from the store of sent files, for ``CoordinatorCore/receive(_:at:)``.
package struct RecordAnswer: Sendable {
    /// The task to perform.
    let task: CoordinatorTask
    /// The number of the jobs pinned until the end of the task; nil for none.
    let pin: UInt64?
    /// The expected length of the reading, if a client waits for the answer in its turn; nil for any other reading.
    let length: OpenReadings.Length?
}
