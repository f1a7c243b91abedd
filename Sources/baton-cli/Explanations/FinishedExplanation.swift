@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The explanation of a finished operation: the outcome, the outcomes of the dependencies, and the lost attempts.
struct FinishedExplanation {
    /// The most dependencies that are told with their ends.
    private static let mostDependencies = 20

    private let operation: OperationID
    private let connection: ClientConnection

    init(of operation: OperationID, on connection: ClientConnection) {
        self.operation = operation
        self.connection = connection
    }

    /// The sentences of the explanation; on their own lines, those after the first begin with a dash.
    func sentences(_ names: inout OperationNames) async throws -> [String] {
        guard let document = try await document(of: .operation(operation)) else { return ["\(operation) is finished."] }
        let facts = [document.name?.asShown, document.item.map { "item \($0.asShown.printable)" }].compactMap { $0 }
        let label = facts.isEmpty ? "" : " (\(facts.joined(separator: ", ")))"
        let end = document.outcome == nil ? "finished" : OperationText.state(of: document)
        var sentences = ["\(operation)\(label) is finished: \(end)."]
        if let message = document.message { sentences.append("\(message)") }
        if document.outcome == .failed, let reason = document.reason,
            let advice = Advice.about(reason, on: document.worker)
        {
            sentences.append(advice)
        }
        if let root = document.skippedBecauseOf, let cause = try await self.document(of: .operation(root)) {
            let reason = cause.message.map { " \($0)" } ?? ""
            sentences.append(
                "The cause is \(try await names.label(of: root)): \(cause.outcome?.description ?? "unfinished").\(reason)"
            )
        }
        for attempt in document.attempts ?? [] {
            let place = attempt.worker.map { " on \($0.asShown)" } ?? ""
            sentences.append("Attempt \(attempt.attempt)\(place): \(attempt.message)")
        }
        if document.attempt == 1, let ready = document.readyAt, let start = document.startedAt {
            sentences.append(
                "It waited \((ready - document.submittedAt).roughText) until it was ready, and "
                    + "\((start - ready).roughText) for a slot."
            )
        }
        for dependency in document.dependencies.prefix(Self.mostDependencies) {
            sentences.append("It waited for \(try await text(of: dependency, &names))")
        }
        let more = document.dependencies.count - Self.mostDependencies
        if more > 0 { sentences.append("It waited for \(more) more; see \"baton show \(operation)\".") }
        if let hook = document.hook { sentences += Self.sentences(about: hook) }
        if let retried = try await connection.sentence(aboutRetriesOf: operation.job) { sentences.append(retried) }
        return sentences
    }

    /// A sentence about a completion hook that has not ended; none about any other.
    private static func sentences(about hook: HookDocument) -> [String] {
        let place = hook.worker.map { " on \($0.asShown)" } ?? ""
        switch (hook.state, hook.stop) {
        case (.waiting, _): return ["Its completion hook waits for a worker."]
        case (.executing, nil): return ["Its completion hook is executing\(place)."]
        case (.executing, let stop?):
            let since = stop.since.localText
            return ["Its completion hook\(place) is stopped by \(stop.name) since \(since), and waits for SIGCONT."]
        case (.succeeded, _), (.failed, _), (.cancelled, _): return []
        }
    }

    /// A dependency with its condition and its end.
    private func text(of dependency: DependencyDocument, _ names: inout OperationNames) async throws -> String {
        let condition =
            switch dependency.condition {
            case .any: "to finish"
            case .success: "to succeed"
            case .failure, .failureOfAll: "to fail"
            }
        guard case .operation(let id)? = Address(dependency.operation), let end = try await document(of: .operation(id))
        else { return "\(dependency.operation) \(condition)." }
        let outcome =
            end.outcome.map { "which \($0 == .succeeded || $0 == .failed ? "" : "was ")\($0)" } ?? "which is unfinished"
        return "\(try await names.label(of: id)) \(condition), \(outcome)."
    }

    /// The document of an operation; nil for one that is gone.
    private func document(of address: Address) async throws -> OperationDocument? {
        let bytes: [UInt8]
        do throws(ClientError) {
            bytes = try await connection.document(.operation(address), timeout: GlobalOptions.answerTimeout)
        } catch {
            guard error.refusal?.code == .notFound else { throw error }
            return nil
        }
        return try DocumentReader.read(OperationDocument.self, from: bytes)
    }
}
