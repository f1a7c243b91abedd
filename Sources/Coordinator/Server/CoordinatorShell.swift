@_spi(Baton) package import BatonOperations
@_spi(Baton) import BatonStore

/// Carries out the actions of a coordinator's core, in any surroundings, and gives the core the recorder's letters.
///
/// The server, the test cluster and the simulation differ in their surroundings alone. The methods are specialised for the server,
/// whose surroundings are in this module.
package struct CoordinatorShell {
    /// The decisions.
    package let core: CoordinatorCore
    /// Posts a letter to the thread that owns the core, from any thread.
    private let post: @Sendable (RecordLetter) -> Void

    /// Makes a shell around a core.
    ///
    /// - Parameter post: posts a letter for ``open(_:at:)``, from any thread.
    package init(_ core: CoordinatorCore, post: @escaping @Sendable (RecordLetter) -> Void) {
        self.core = core
        self.post = post
    }

    /// Takes in a letter of the recorder.
    package func open(_ letter: RecordLetter, at now: Timestamp) {
        switch letter {
        case .committed(let batch): core.committed(batch, at: now)
        case .failed(let error): core.recordFailed(error, at: now)
        case .recovered: core.recordRecovered(at: now)
        case .answered(let answer): core.receive(answer, at: now)
        }
    }

    /// Takes in a letter that has come after the end of the recorder: no more changes can be committed.
    package func openLast(_ letter: RecordLetter, at now: Timestamp) {
        switch letter {
        case .committed(let batch): core.committed(batch, at: now)
        case .answered(let answer): core.passOn(answer)
        case .failed, .recovered: break
        }
    }

    /// Carries out the actions since the last call, in their order.
    package func carryOutActions(in surroundings: some CoordinatorSurroundings, at now: Timestamp) {
        for action in core.takeActions() {
            switch action {
            case .send(let bytes, let peer): surroundings.send(bytes, to: peer, at: now)
            case .sendTogether(let messages, let peer): surroundings.sendTogether(messages, to: peer, at: now)
            case .handOver(let page, let peer): surroundings.handOver(page, to: peer)
            case .commit(let changes, let batch):
                surroundings.record(
                    .append(changes) { [post] result in
                        if case .success = result { post(.committed(batch)) }
                    }
                )
            case .ask(let question): surroundings.record(work(for: question))
            case .keep(let piece): piece.write { [post] in post(.answered($0)) }
            case .retryRecord: surroundings.retryRecord()
            case .checkRecord: surroundings.checkRecord()
            case .free(let remains): surroundings.free(remains)
            }
        }
    }

    /// The recorder's work for a question.
    private func work(for question: RecordQuestion) -> RecorderInbox.Item {
        let refuse: @Sendable (StoreError) -> Void = { [post] in post(.answered(question.refusal($0))) }
        if let answer = question.answerBeside {
            return .readBeside(
                in: question.line,
                answer: { [post] in post(.answered(answer($0))) },
                refuse: refuse
            )
        }
        return .read(
            toleratesFailure: question.toleratesFailure,
            answer: { [post] in post(.answered(question.answer($0))) },
            refuse: refuse
        )
    }
}
