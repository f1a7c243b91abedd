/// How many requests of each peer have not been answered yet.
///
/// Each is kept somewhere until it is: who could have any number of them open could fill the coordinator's memory.
struct OpenRequests<Peer: Hashable> {
    /// The most that one peer has open at once: far more than any needs that waits for its answers.
    static var mostOfPeer: Int { 16_384 }

    private var counts: [Peer: Int] = [:]

    /// Notes a request.
    ///
    /// - Returns: false where its peer has ``mostOfPeer`` open already, and it is to be refused.
    mutating func open(by peer: Peer) -> Bool {
        let count = counts[peer, default: 0]
        guard count < Self.mostOfPeer else { return false }
        counts[peer] = count + 1
        return true
    }

    /// Notes that a request was answered.
    mutating func close(by peer: Peer) {
        guard let count = counts[peer] else { return }
        counts[peer] = count > 1 ? count - 1 : nil
    }
}
