import Testing

@_spi(Baton) @testable import BatonStore

@Suite("The order of the hosts of a record")
struct ServerPlacesTests {
    /// A record that no other test has, since the order is the process's.
    private func server(hosts: Int, _ end: String = "") throws -> RecordServer {
        let own = String(UInt64.random(in: 0...(.max)), radix: 16)
        let list = (0..<hosts).map { "h\($0)-\(own)" }.joined(separator: ",")
        return try RecordServer("postgres://u@\(list)/db\(end)")
    }

    @Test("The host that answered last comes first, and one that falls silent comes last", arguments: 2...5)
    func order(count: Int) throws {
        let server = try server(hosts: count)
        let all = Array(0..<count)
        func expect(first: Int) {
            let order = ServerPlaces.order(of: server).compactMap { $0 }
            #expect(order == Array(all[first...] + all[..<first]), "from \(first)")
        }
        expect(first: 0)
        for place in all.reversed() {
            ServerPlaces.noteAnswer(of: place, server)
            expect(first: place)
        }
        for place in all {
            ServerPlaces.noteSilence(of: place, server)
            expect(first: (place + 1) % count)
        }
        // Another connection to the same host falls silent later.
        ServerPlaces.noteAnswer(of: 1, server)
        ServerPlaces.noteSilence(of: 0, server)
        expect(first: 1)
        ServerPlaces.noteAnswer(of: nil, server)
        ServerPlaces.noteSilence(of: nil, server)
        expect(first: 1)
        let other = try self.server(hosts: count)
        #expect(ServerPlaces.order(of: other).compactMap { $0 } == all, "of another record")
    }

    @Test(
        "What the address says of all hosts together is left to the library",
        arguments: [
            (1, ""), (2, "?target_session_attrs=any"), (2, "?hostaddr=10.0.0.1,10.0.0.2"),
            (3, "?load_balance_hosts=random"),
        ]
    )
    func chosenByLibrary(hosts: Int, end: String) throws {
        for server in [try server(hosts: hosts, end), try RecordServer("postgres:///db")] {
            let order = ServerPlaces.order(of: server)
            #expect(order.count == 1 && order.allSatisfy { $0 == nil }, "\(server)")
        }
    }
}
