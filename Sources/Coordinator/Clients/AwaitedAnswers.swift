@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonScheduler

/// The clients that wait for an answer of the scheduler.
///
/// Owns the client of each number. Guarantees that a number goes to the scheduler once and comes back once.
struct AwaitedAnswers {
    private var clients: [RequestID: ReplyAddress] = [:]
    private var next: UInt64 = 1

    /// Numbers a client's request, so that the scheduler's answer finds the client.
    mutating func expect(for client: ReplyAddress) -> RequestID {
        defer { next += 1 }
        let request = RequestID(rawValue: next, by: client.recordName)
        invariant(clients[request] == nil, "Two requests have the same number.")
        clients[request] = client
        return request
    }

    /// Removes and returns the client of an answered request.
    mutating func take(_ request: RequestID) -> ReplyAddress {
        guard let client = clients.removeValue(forKey: request) else {
            failInvariant("The scheduler answers request \(request.rawValue), which is not open.")
        }
        return client
    }
}
