@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonWire

/// The answers of a coordinator that stands by: the coordinator does not lead, and the answer names the leader.
///
/// The coordinator answers hellos and inquiries. A request follows a hello and gets no answer: after the answer to the hello, the client
/// waits, or asks the leader.
struct StandbyAnswers {
    /// The answer to a message of a peer.
    struct Answer: Hashable {
        /// The message.
        var message: [UInt8]
        /// The form of the news for the peer once this coordinator leads; nil for a refused peer.
        var kind: StandbyPeers.Kind?
    }

    /// The leader; nil if none is known.
    var leader: LeaderNotice?
    /// The reason why the record is out of reach at present; nil if its server answers.
    var failure: StoreError?

    /// The first version of the protocol with messages that tell who leads.
    private static let leastVersion: UInt16 = 2

    /// The sentence that this coordinator stands by, with the leader.
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
        // A worker of an earlier version says hello again later, when a coordinator may lead.
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
