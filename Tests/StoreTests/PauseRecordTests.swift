@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonStore

/// Tests of the paused operations in the record.
@Suite("Paused operations in the record", .timeLimit(.minutes(60)))
struct PauseRecordTests {
    @Test("RT6 A pause is kept over restarts until it ends", arguments: StoreKind.engines)
    func kept(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let (one, other) = (OperationID(1, 0), OperationID(2, .max))
        let pause = PauseRecord(by: "laptop", since: .at(5))
        try test.store.commit([.pause(one, pause), .pause(other, PauseRecord(since: .at(6)))])
        try test.restart()
        #expect(test.state.pauses == [one: pause, other: PauseRecord(since: .at(6))])
        try test.store.commit([.pause(one, nil), .pause(other, PauseRecord(by: "b", since: .at(7)))])
        try test.restart()
        #expect(test.state.pauses == [other: PauseRecord(by: "b", since: .at(7))])
    }
}
