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

    @Test("The smallest and the largest numbers are whole in texts")
    func extremes() {
        let last = AttemptToken(epoch: 16_777_215, serial: 1_099_511_627_775, of: Incarnation(rawValue: .max))
        #expect(last.fileName == "ffffffffffffffff.16777215.1099511627775")
        #expect(last.description == "16777215.1099511627775")
        #expect(AttemptToken(rawValue: 0).description == "0.0")
        let first = OperationID(job: JobNumber(rawValue: 0), index: 0)
        #expect(first.description == "0/0")
        let greatest = OperationID(job: JobNumber(rawValue: .max), index: .max)
        #expect(greatest.description == "4294967295/4294967295")
    }

    @Test("The texts of numbers are their digits, whatever their count", arguments: UInt64(0)..<40)
    func digits(bits: UInt64) {
        let power = UInt64(1) << bits
        for serial in [power - 1, power] {
            let index = UInt32(truncatingIfNeeded: serial)
            #expect(AttemptToken(epoch: 7, serial: serial).description == "7." + String(serial))
            #expect(OperationID(job: JobNumber(rawValue: index), index: 9).description == String(index) + "/9")
            #expect(OperationID(job: JobNumber(rawValue: 8), index: index).description == "8/" + String(index))
        }
    }
}
