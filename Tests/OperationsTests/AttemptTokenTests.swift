@_spi(Baton) import BatonOperations
import Testing

@Suite("Tokens of attempts", .timeLimit(.minutes(60)))
struct AttemptTokenTests {
    @Test(
        "An incarnation has sixteen digits",
        arguments: [
            (1, "0000000000000001"), (0xA0, "00000000000000a0"), (0x0123_4567_89AB_CDEF, "0123456789abcdef"),
            (UInt64.max, "ffffffffffffffff"),
        ]
    )
    func incarnation(number: UInt64, text: String) {
        #expect(Incarnation(rawValue: number).description == text)
    }

    @Test("The files of an attempt are named after incarnation, epoch and serial")
    func fileName() {
        let known = AttemptToken(epoch: 3, serial: 1042, of: Incarnation(rawValue: 0xF))
        #expect(known.fileName == "000000000000000f.3.1042")
        #expect(AttemptToken(epoch: 3, serial: 1042).fileName == "3.1042")
    }
}
