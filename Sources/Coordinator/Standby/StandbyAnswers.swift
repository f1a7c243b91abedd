@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonWire

/// What a coordinator that stands by answers: that it does not lead, and who does.
///
/// Hellos and inquiries are answered. A request comes behind a hello, and has no answer of its own: its client waits, or asks the leader.
struct StandbyAnswers {
    /// The answer to a message of a peer.
    struct Answer: Hashable {
        /// The message.
        var message: [UInt8]
        /// How the peer is told once this coordinator leads; nil for a peer that is refused.
        var kind: StandbyPeers.Kind?
    }

    /// The leader; nil if none is known.
    var leader: LeaderNotice?
    /// Why nothing is known of the record at present; nil if its server answers.
    var failure: StoreError?

    /// The first version of the protocol with messages that tell who leads.
    private static let leastVersion: UInt16 = 2

    /// That this coordinator stands by, and who leads.
    var sentence: String { "This coordinator \(clause)." }

    private var clause: String {
        guard failure == nil else { return "stands by, and does not reach its record at present" }
        guard let leader else { return "stands by, and no coordinator leads at present" }
        return "stands by; the leader is at \(leader.address) (epoch \(leader.epoch))"
    }

    /// The refusal of a part of this process, such as the web interface, whose client has to ask elsewhere.
    var refusal: Refusal {
        let page = failure == nil ? leader?.web : nil
        return Refusal(.storage, sentence + (page.map { " Its web interface is at \($0)." } ?? ""))
    }

    private var leadership: Leadership { Leadership(isLeading: false, leader: failure == nil ? leader?.address : nil) }

    /// The answer to a message; nil without one.
    ///
    /// - Parameter requester: the sender; nil for a coordinator without keys.
    func answer(to message: ReceivedMessage, by requester: Requester?) -> Answer? {
        switch message.content {
        case .success(.worker(let message)): answer(to: message, by: requester)
        case .success(.hello(let protocols, _)): answer(toClientSpeaking: protocols, by: requester)
        case .success(.request), .success(.piece), .failure: nil
        }
    }

    private func answer(to message: WorkerMessage, by requester: Requester?) -> Answer? {
        if let requester, !requester.role.permitsWork {
            guard case .hello = message else { return nil }
            return Answer(message: CoordinatorMessage.refused(.noWorker(requester)).encoded())
        }
        let protocols: ProtocolRange
        if case .hello(let hello) = message {
            protocols = hello.protocols
        } else if case .inquire(let inquiry) = message {
            protocols = inquiry.protocols
        } else {
            return nil
        }
        // An earlier worker says hello again, to whoever leads then.
        guard ProtocolRange.own.agreed(with: protocols) >= Self.leastVersion else { return nil }
        return Answer(message: CoordinatorMessage.leadership(leadership).encoded(), kind: .worker)
    }

    private func answer(toClientSpeaking protocols: ProtocolRange, by requester: Requester?) -> Answer? {
        if let requester, !requester.role.permitsRequests {
            return Answer(message: ClientReply.refused(.noClient(requester)).encoded())
        }
        guard ProtocolRange.own.agreed(with: protocols) >= Self.leastVersion else {
            return Answer(message: ClientReply.refused(Refusal(.unavailable, sentence)).encoded())
        }
        return Answer(message: ClientReply.leadership(leadership).encoded(), kind: .client)
    }

    /// What the coordinator says of its health.
    func health(at endpoint: String) -> HealthDocument.Process {
        let fault = failure.map { "\(clause). \($0)" }
        return HealthDocument.Process(
            role: .coordinator,
            name: nil,
            answers: true,
            ready: failure == nil,
            coordinator: endpoint,
            duty: .standsBy,
            message: "The coordinator at \(endpoint) answers, and \(fault ?? clause + ".")"
        )
    }
}
