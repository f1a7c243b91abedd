/// The frames of a request of ZAP 1.0, and the frames of its reply.
struct AuthenticationEnvelope {
    /// A status of ZAP and the user id of an accepted peer.
    struct Answer: Equatable {
        var status: String
        var text: String
        var userID = ""

        static let refused = Answer(status: "400", text: "The key is not known or was revoked.")
        static let otherMechanism = Answer(status: "400", text: "Only CURVE is accepted.")
        static let malformed = Answer(status: "500", text: "The request has the wrong form.")
        static let unusableUserID = Answer(status: "500", text: "The user id has the wrong form.")
    }

    /// The frames of a request for CURVE: the router's address, an empty one, version, id, domain, address, routing id,
    /// mechanism and key.
    static let frameCount = 9

    private static let version = Array("1.0".utf8)
    private static let longestField = 255

    private let frames: [[UInt8]]

    /// Takes over a request; nil for a request that cannot be answered for want of an id.
    init?(frames: [[UInt8]]) {
        guard frames.count >= 4, frames[1].isEmpty, frames[3].count <= Self.longestField else { return nil }
        self.frames = frames
    }

    /// Returns the answer to the request, and asks `decide` only about a valid one.
    func answer(_ decide: (Authenticator.Request) -> Authenticator.Verdict) -> Answer {
        guard frames.count >= Self.frameCount - 1, frames[2] == Self.version else { return .malformed }
        guard frames[4...6].allSatisfy({ $0.count <= Self.longestField }) else { return .malformed }
        guard frames[7] == Array("CURVE".utf8) else { return .otherMechanism }
        guard frames.count == Self.frameCount, let key = CurvePublicKey(bytes: frames[8]) else { return .malformed }
        guard let domain = String(validating: frames[4], as: UTF8.self),
            let address = String(validating: frames[5], as: UTF8.self)
        else { return .malformed }
        switch decide(Authenticator.Request(key: key, domain: domain, address: MappedAddress.plain(address))) {
        case .refused:
            return .refused
        case .accepted(let userID):
            let isUsable = (1...Self.longestField).contains(userID.utf8.count) && !userID.utf8.contains(0)
            return isUsable ? Answer(status: "200", text: "OK", userID: userID) : .unusableUserID
        }
    }

    /// The frames of a reply, with the router's address first.
    func reply(_ answer: Answer) -> [[UInt8]] {
        [
            frames[0], [], Self.version, frames[3], Array(answer.status.utf8), Array(answer.text.utf8),
            Array(answer.userID.utf8), [],
        ]
    }
}
