@_spi(Baton) import BatonOperations

/// The sentences about coordinators that stand by, and about several addresses.
extension ClientError {
    /// The only coordinator with an address stands by, and knows the leader at an address that nobody has given.
    @_spi(Baton) public static func standby(_ endpoint: String, leader: String) -> ClientError {
        ClientError(
            .standby,
            "The coordinator at \(endpoint) stands by, and the leader is at \(leader.asShown).",
            endpoint: endpoint
        )
    }

    /// The coordinators that answer have stood by for as long as the client waits.
    ///
    /// - Parameters:
    ///   - endpoints: the addresses of those that stand by; at least one.
    ///   - list: all addresses.
    static func standby(_ endpoints: [String], of list: String, after time: Duration) -> ClientError {
        let who =
            endpoints.count == 1
            ? "the one at \(endpoints[0]) stands by" : "those at \(listed(endpoints, before: "and")) stand by"
        return ClientError(.standby, "No coordinator leads: \(who), for \(time.text) now.", endpoint: list)
    }

    /// The only coordinators that answer have an older state of the record than one that the client has met.
    ///
    /// - Parameters:
    ///   - endpoints: their addresses; at least one.
    ///   - list: all addresses.
    static func superseded(_ endpoints: [String], of list: String, after time: Duration) -> ClientError {
        let who = "at \(listed(endpoints, before: "and"))"
        return ClientError(
            .lost,
            "The coordinator became unreachable and did not return within \(time.text). What answers \(who) has an older copy of its "
                + "record. Start the newer one again; or, if it is gone for good, start this program again.",
            endpoint: list
        )
    }

    /// No coordinator is of use at any of several addresses.
    ///
    /// Keys and refusals are told first, since a coordinator is there; else the error of the first address decides.
    ///
    /// - Parameters:
    ///   - errors: the reason at each address, in the order of the addresses; at least one.
    ///   - endpoints: the addresses.
    ///   - list: the same addresses as a text.
    static func allFailed(_ errors: [ClientError], at endpoints: [String], of list: String) -> ClientError {
        guard let first = errors.first(where: \.concernsAdmission) ?? errors.first else { return unreachable(list) }
        guard errors.count > 1 else { return first }
        guard errors.contains(where: { $0.code != .unreachable }) else {
            return ClientError(
                .unreachable,
                "No coordinator answers at \(listed(endpoints, before: "or")).",
                endpoint: list
            )
        }
        var sentences = [first.message]
        for error in errors where !sentences.contains(error.message) { sentences.append(error.message) }
        var result = first
        result.message = sentences.joined(separator: " ")
        result.endpoint = list
        return result
    }

    /// Whether a coordinator is at the address, and does not let the client in.
    var concernsAdmission: Bool { [.keyRefused, .keyMismatch, .refused].contains(code) }

    /// Some addresses in words.
    private static func listed(_ endpoints: [String], before last: String) -> String {
        guard endpoints.count > 1, let end = endpoints.last else { return endpoints.first ?? "" }
        return endpoints.dropLast().joined(separator: ", ") + " \(last) \(end)"
    }
}
