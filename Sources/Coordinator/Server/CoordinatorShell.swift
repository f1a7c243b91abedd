@_spi(Baton) package import BatonOperations
@_spi(Baton) import BatonStore

/// Carries out the actions of a coordinator's core, in any surroundings, and gives the core the recorder's letters.
///
/// The server, the test cluster and the simulation differ in their surroundings alone. The methods are specialised for the server,
/// whose surroundings are in this module.
package struct CoordinatorShell {
    /// The decisions.
    package let core: CoordinatorCore
    /// What waits for the next proof of the lease; nil for a coordinator without a lease, which always speaks.
    package let silence: LeaderSilence?
    /// Posts a letter to the thread that owns the core, from any thread.
    private let post: @Sendable (RecordLetter) -> Void

    /// How many messages go out between two looks at the lease.
    private static let sendsPerLook = 256

    /// Makes a shell around a core.
    ///
    /// - Parameters:
    ///   - lease: how long the coordinator leads without a further proof; nil for a record that one host alone can open.
    ///   - post: posts a letter for ``open(_:at:)``, from any thread.
    package init(
        _ core: CoordinatorCore,
        lease: LeaderLease? = nil,
        post: @escaping @Sendable (RecordLetter) -> Void
    ) {
        self.core = core
        silence = lease.map { LeaderSilence($0) }
        self.post = post
    }

    /// Whether the core may take in messages of peers: those of a leader that cannot prove its lease have to wait.
    ///
    /// Open the recorder's letters before, which may have a proof, and have the core know by ``CoordinatorCore/setSilent(_:at:)``
    /// before the turn ends.
    package func mayReceive(at leaseTime: Timestamp) -> Bool { silence?.maySpeak(at: leaseTime) ?? true }

    /// Takes in a letter of the recorder.
    package func open(_ letter: RecordLetter, at now: Timestamp) {
        switch letter {
        case .committed(let batch): core.committed(batch, at: now)
        case .failed(let error):
            if error.code == .unreachable { silence?.revoke() }
            core.recordFailed(error, at: now)
        case .recovered: core.recordRecovered(at: now)
        case .answered(let answer): core.receive(answer, at: now)
        case .proven(let moment): silence?.note(provenAt: moment)
        case .deposed(let error): silence?.depose(error)
        }
    }

    /// Takes in a letter that has come after the end of the recorder: no more changes can be committed.
    package func openLast(_ letter: RecordLetter, at now: Timestamp) {
        switch letter {
        case .committed(let batch): core.committed(batch, at: now)
        case .answered(let answer): core.passOn(answer)
        // A last proof lets the last answers go out.
        case .proven(let moment): silence?.note(provenAt: moment)
        case .deposed(let error): silence?.depose(error)
        case .failed, .recovered: break
        }
    }

    /// Carries out the actions since the last call, in their order.
    ///
    /// A leader that cannot prove its lease keeps what it would tell its peers, in order, until the next proof; the work for the record
    /// goes on. One that was deposed does nothing more.
    package func carryOutActions(in surroundings: some CoordinatorSurroundings, at now: Timestamp) {
        if let silence { return carryOutActions(in: surroundings, at: now, under: silence) }
        for action in core.takeActions() { carryOut(action, in: surroundings, at: now) }
    }

    private func carryOutActions(
        in surroundings: some CoordinatorSurroundings,
        at now: Timestamp,
        under silence: LeaderSilence
    ) {
        let actions = core.takeActions()
        guard silence.deposition == nil else { return }
        var maySpeak = silence.maySpeak(at: surroundings.leaseTime)
        var sends = 0
        // What was held back comes first, and is held again if the lease is over meanwhile.
        let earlier = maySpeak ? silence.takeHeld() : []
        for actions in [earlier, actions] {
            for action in actions {
                guard action.speaks else {
                    carryOut(action, in: surroundings, at: now)
                    continue
                }
                if maySpeak, sends > 0, sends.isMultiple(of: Self.sendsPerLook) {
                    maySpeak = silence.maySpeak(at: surroundings.leaseTime)
                }
                guard maySpeak else {
                    silence.hold(action)
                    continue
                }
                sends += 1
                carryOut(action, in: surroundings, at: now)
            }
        }
    }

    @inline(__always)
    private func carryOut(
        _ action: CoordinatorCore.Action,
        in surroundings: some CoordinatorSurroundings,
        at now: Timestamp
    ) {
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
