@_spi(Baton) import BatonOperations
import Testing

@Suite("Ends of elements")
struct ElementEndsTests {
    @Test("EL1 Neighbours that ended alike are one run, in whatever order they are added")
    func runs() {
        var ends = ElementEnds()
        for index: UInt32 in [3, 0, 1, 2] { ends.insert(index..<index + 1, DependencyEnd(.succeeded)) }
        #expect(ends.runs.count <= 2)
        #expect((0..<4).allSatisfy { ends.end(of: UInt32($0))?.ending == .succeeded })
        #expect(ends.end(of: 4) == nil)
        let failed = DependencyEnd(.failed(OperationID(job: JobNumber(1), index: 4)))
        ends.insert(4..<5, failed)
        #expect(ends.end(of: 4) == failed)
        var other = ElementEnds()
        other.insert(4..<5, failed)
        other.insert(6..<9, DependencyEnd(.succeeded))
        ends.formUnion(other)
        #expect(ends.runs.reduce(0) { $0 + $1.operations.count } == 8)
    }

    @Test("EL2 Of elements that were cancelled together, each is its own root")
    func roots() {
        var ends = ElementEnds()
        var record = OperationRecord(id: OperationID(job: JobNumber(1), index: 5), count: 4, state: .finished)
        record.outcome = .cancelled
        ends.insert(record, in: 6..<20)
        #expect(ends.runs.map(\.operations) == [6..<9])
        #expect(ends.end(of: 8)?.ending == .cancelled(OperationID(job: JobNumber(1), index: 8)))
    }

    @Test("EL1 A dependency is an address, or an array whose elements count one by one")
    func addresses() {
        let job = JobNumber(58)
        let texts: [(String, DependencyAddress?)] = [
            ("58", DependencyAddress(.job(job))), ("58/sim", DependencyAddress(.named(job, "sim"))),
            ("58/=", DependencyAddress(.job(job), isElementwise: true)),
            ("58/sim/=", DependencyAddress(.named(job, "sim"), isElementwise: true)),
            ("58/[3-5]/=", DependencyAddress(.operations(job, 3..<6), isElementwise: true)),
            ("58/*/=", nil), ("58/[3-5]", nil), ("58/[3-5,7]/=", nil), ("last/=", nil), ("/=", nil),
        ]
        for (text, address) in texts { #expect(DependencyAddress(text) == address, "\(text)") }
        for case (let text, let address?) in texts where address.isElementwise { #expect(address.description == text) }
    }
}
