@_spi(Baton) import BatonOperations
import Testing

@Suite("Addresses of jobs and operations") struct AddressTests {
    @Test(
        "An address is read from a job, or from a job with an index, a name or a star",
        arguments: [
            ("12", Address.job(JobNumber(12))),
            ("012", .job(JobNumber(12))),
            ("4294967295", .job(JobNumber(.max))),
            ("12/*", .job(JobNumber(12))),
            ("12/0", .operation(OperationID(job: JobNumber(12), index: 0))),
            ("12/4294967295", .operation(OperationID(job: JobNumber(12), index: .max))),
            ("12/sepia", .named(JobNumber(12), "sepia")),
            ("12/_3", .named(JobNumber(12), "_3")),
            ("7/Größe", .named(JobNumber(7), "Größe")),
        ]
    )
    func addressReadFromJob(text: String, expected: Address) {
        #expect(Address(text) == expected)
    }

    @Test(
        "A text that is not an address is refused",
        arguments: [
            "", "/", "0", "0/1", "-1", "+1", "1 ", " 1", "1.5", "4294967296", "12/", "12/3/4", "12/-1", "12/+1",
            "12/4294967296", "12/**", "*", "*/1", "12/3a", "12/a b", "12/a/b", "sepia", "sepia/1", "１２",
        ]
    )
    func textAddressRefused(text: String) {
        #expect(Address(text) == nil)
    }

    @Test("An address is printed as users type it", arguments: ["12", "12/3", "12/sepia"])
    func addressPrintedUsersType(text: String) {
        #expect(Address(text)?.description == text)
        #expect(Address(text)?.job == JobNumber(12))
    }

    @Test("An address has one normalized spelling, and shows at most 80 characters of a name")
    func addressHasOneNormalized() {
        #expect(Address("7/e\u{301}")?.description.utf8.elementsEqual("7/\u{E9}".utf8) == true)
        let long = String(repeating: "n", count: 150)
        #expect(Address("7/\(long)")?.description == "7/\(long)")
        #expect(Address("7/\(long)")?.asShown == "7/\(long.prefix(79))…")
    }

    @Test("The addresses of operations are ordered by job and then by index")
    func addressesOperationsOrderedJob() {
        let ids = [(1, 0), (1, 1), (2, 0), (10, 0)].map { OperationID(job: JobNumber($0.0), index: $0.1) }
        #expect(ids.reversed().sorted() == ids)
    }

    @Test("A token keeps its epoch and serial apart, and a token of a later epoch is greater")
    func tokenKeepsEpochSerial() {
        let token = AttemptToken(epoch: 3, serial: 1042)
        #expect(token.epoch == 3)
        #expect(token.serial == 1042)
        #expect(token.description == "3.1042")
        #expect(AttemptToken(epoch: 2, serial: 1 << 40 - 1) < AttemptToken(epoch: 3, serial: 1))
        #expect(AttemptToken(epoch: .max, serial: .max).serial == 1 << 40 - 1)
    }
}
