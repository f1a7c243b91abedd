@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonWire

@Suite("Kept attempts")
struct KeptAttemptsTests {
    private static func attempt(_ phase: ClaimedAttempt.Phase, _ result: AttemptResult?) -> KeptAttempts.Attempt {
        KeptAttempts.Attempt(
            claim: ClaimedAttempt(
                token: AttemptToken(epoch: 2, serial: 7, of: Incarnation(rawValue: 9)),
                operation: OperationID(job: JobNumber(12), index: 3),
                attempt: 2,
                phase: phase,
                age: 300
            ),
            result: result,
            age: 200
        )
    }

    private static let kept = KeptAttempts(
        moment: Timestamp(rawValue: 1),
        attempts: [
            attempt(
                .finished,
                AttemptResult(
                    end: .exited(3),
                    microseconds: 100,
                    standardOutput: OutputTail(totalLength: 3, bytes: [0x61, 0x62]),
                    result: [0xFF]
                )
            ),
            attempt(.waiting, nil),
        ]
    )

    private func decoded(_ bytes: [UInt8]) throws(WireError) -> KeptAttempts {
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(WireError) in try KeptAttempts(decoding: bytes) }
        }
        return try result.get()
    }

    @Test("The bytes of kept attempts are those of format 1, which workers of other versions read")
    func golden() throws {
        let claim: [UInt8] = [9, 0, 0, 0, 0, 0, 0, 0] + [7, 0, 0, 0, 0, 2, 0, 0] + [12, 3] + [2]
        let result: [UInt8] = [0, 6] + [0xC8, 1] + [3, 2, 0x61, 0x62] + [0, 0] + [1, 1, 0xFF] + [0]
        let age: [UInt8] = [0xC8, 1]
        let finished = claim + [2, 0, 0xAC, 2] + [1] + result + age
        let unstarted = claim + [0, 0, 0xAC, 2] + [0] + age
        let bytes = [1] + [2] + finished + unstarted
        #expect(Self.kept.encoded() == bytes)
        #expect(try decoded(bytes) == Self.kept)
    }

    @Test("Kept attempts that are cut off or followed by more bytes are malformed")
    func length() {
        let bytes = Self.kept.encoded()
        for length in bytes.indices {
            #expect(throws: WireError.self) { try decoded(Array(bytes.prefix(length))) }
        }
        #expect(throws: WireError.self) { try decoded(bytes + [0]) }
    }

    @Test("A kept attempt has an end if and only if it is finished")
    func phases() {
        let ended = AttemptResult(end: .timedOut)
        for attempt in [Self.attempt(.finished, nil), Self.attempt(.waiting, ended), Self.attempt(.running, ended)] {
            let kept = KeptAttempts(moment: Timestamp(rawValue: 1), attempts: [attempt])
            #expect(throws: WireError.self) { try decoded(kept.encoded()) }
        }
    }
}
