@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonWire

@Suite("Ranks of coordinators, and who leads")
struct LeadershipTests {
    private static func rank(record: UInt64 = 1, epoch: UInt32, incarnation: UInt64 = 1) -> LeaderRank {
        LeaderRank(
            record: Incarnation(rawValue: record),
            epoch: epoch,
            incarnation: Incarnation(rawValue: incarnation)
        )
    }

    @Test("Of two coordinators of a record, the one with the higher epoch outranks the other")
    func order() {
        for record in 1...2 as ClosedRange<UInt64> {
            for (low, high) in [(0, 1), (1, 2), (5, 300), (1, .max)] as [(UInt32, UInt32)] {
                for (first, second) in [(1, 1), (1, 2), (2, 1)] as [(UInt64, UInt64)] {
                    let former = Self.rank(record: record, epoch: low, incarnation: first)
                    let newer = Self.rank(record: record, epoch: high, incarnation: second)
                    #expect(newer.outranks(former))
                    #expect(!former.outranks(newer))
                    let other = Self.rank(record: record + 1, epoch: high, incarnation: second)
                    #expect(!other.outranks(former) && !former.outranks(other))
                }
            }
        }
        // A copy of a record that was put in its place has the same epochs.
        let (one, copy) = (Self.rank(epoch: 7, incarnation: 1), Self.rank(epoch: 7, incarnation: 2))
        #expect(!one.outranks(copy) && !copy.outranks(one) && !one.outranks(one))
    }

    @Test("An inquiry begins as a hello does, and further fields of a newer build are skipped")
    func inquiry() throws {
        func inquiry(_ oldest: UInt16, _ newest: UInt16, then rest: [UInt8]) -> [UInt8] {
            messageBytes(.leaderInquiry) { writer in
                writer.fixed(oldest)
                writer.fixed(newest)
                writer.text("9.1")
                writer.bytes(of: rest)
            }
        }
        let expected = LeaderInquiry(protocols: ProtocolRange(oldest: 1, newest: 9), version: "9.1")
        for more in [[], [0xFF], [UInt8](repeating: 0xAA, count: 300)] as [[UInt8]] {
            #expect(try incoming(inquiry(1, 9, then: [0] + more)) == .worker(.inquire(expected)))
        }
        let (oldest, newest) = (ProtocolVersion.newest + 1, ProtocolVersion.newest + 2)
        let range = ProtocolRange(oldest: oldest, newest: newest)
        let refusal = WireError.incompatible(Greeting(role: .worker, protocols: range, build: "9.1"))
        #expect(throws: refusal) { try incoming(inquiry(oldest, newest, then: [0xFF])) }
        for rest in [[], [2], [1], [1, 0, 0]] as [[UInt8]] {
            let error = #expect(throws: WireError.self) { try incoming(inquiry(1, 9, then: rest)) }
            #expect(error?.code == .malformed)
        }
    }

    @Test("What tells who leads may grow, and an address has a limit", arguments: [0, 1, 511, 512, 513, 5_000])
    func leadership(length: Int) {
        let leader = String(repeating: "a", count: length)
        let leadership = Leadership(isLeading: true, rank: Self.rank(epoch: 7), leader: leader)
        let isShort = length <= Leadership.maximumAddressLength
        let messages: [AnyMessage] = [.coordinator(.leadership(leadership)), .reply(.leadership(leadership))]
        for message in messages {
            for more in [[], [0], [UInt8](repeating: 0xAA, count: 300)] as [[UInt8]] {
                switch message.decoded(from: message.encoded() + more) {
                case .success(let decoded): #expect(isShort && decoded == message)
                case .failure(let error): #expect(!isShort && error.code == .malformed)
                }
            }
        }
    }

    @Test("A client's welcome of version 1 ends with the epoch, and one of version 2 with the rank")
    func welcome() throws {
        func decoded(_ bytes: [UInt8]) throws -> ClientReply {
            try bytes.withUnsafeBytes { try ClientReply(decoding: $0) }
        }
        let rank = Self.rank(record: 9, epoch: 300, incarnation: 5)
        for version in 1...3 as ClosedRange<UInt16> {
            let told = ClientReply.welcome(protocolVersion: version, version: "1.0", epoch: 300, rank: rank)
            let plain = ClientReply.welcome(protocolVersion: version, version: "1.0", epoch: 300)
            #expect(try decoded(plain.encoded()) == plain)
            #expect(try decoded(told.encoded()) == (version == 1 ? plain : told))
            #expect(throws: WireError.self) { try decoded(told.encoded() + [0]) }
            if version > 1 {
                #expect(throws: WireError.self) { try decoded(Array(plain.encoded().dropLast())) }
                #expect(throws: WireError.self) { try decoded(Array(told.encoded().dropLast())) }
            }
        }
    }
}
