@_spi(Baton) import BatonOperations
import Foundation
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import Baton
@_spi(Baton) @testable import BatonWorker

@Suite("DE20 The results of dependencies in a Swift operation")
struct ContextResultTests {
    private func context(_ inputs: [TypedInput]) -> OperationContext {
        OperationContext(OperationCall(.sample(inputs: inputs)))
    }

    @Test("All dependencies are listed in their order, those without a result too")
    func order() throws {
        let dependencies = context([
            TypedInput(4, type: "area", .succeeded, #"{"area":6}"#), TypedInput(1, type: nil, .succeeded, "text"),
            TypedInput(2, type: "touch"), TypedInput(0, type: "area", .failed), TypedInput(3, type: "area", .cancelled),
        ]).dependencies
        #expect(dependencies.map(\.address.description) == ["1/4", "1/1", "1/2", "1/0", "1/3"])
        #expect(dependencies.map(\.name) == ["n4", "n1", "n2", "n0", "n3"])
        #expect(dependencies.map(\.typeName) == ["area", nil, "touch", "area", "area"])
        #expect(dependencies.map(\.outcome) == [.succeeded, .succeeded, .succeeded, .failed, .cancelled])
        #expect(dependencies.map(\.data) == [Data(#"{"area":6}"#.utf8), Data("text".utf8), nil, nil, nil])
        #expect(try dependencies[0].value(of: Area.self) == ["area": 6])
        #expect(try dependencies[2].value(of: Touch.self) != nil)
        #expect(try dependencies[3].value(of: Area.self) == nil)
    }

    @Test("A result is decoded only as that of its own type")
    func wrongType() async throws {
        let dependencies = context([TypedInput(0, type: "area", .succeeded, "[]"), TypedInput(1, type: nil)])
            .dependencies
        let other = await clusterError { try dependencies[0].value(of: Touch.self) }
        #expect(other?.code == .unavailable)
        #expect(other?.message == "The dependency 1/0 (n0) is of type \"area\", not of type \"touch\".")
        let command = await clusterError { try dependencies[1].value(of: Touch.self) }
        #expect(command?.code == .unavailable)
        #expect(command?.message == "The dependency 1/1 (n1) is no Swift operation, not of type \"touch\".")
        let damaged = await clusterError { try dependencies[0].value(of: Area.self) }
        #expect(damaged?.code == .coding)
    }

    @Test("The result of the only dependency of a type is its output; else it is unavailable")
    func only() async throws {
        let area = TypedInput(0, type: "area", .succeeded, #"{"area":6}"#)
        let touch = TypedInput(1, type: "touch")
        #expect(try context([touch, area]).result(of: Area.self) == ["area": 6])
        try context([touch, area]).result(of: Touch.self)
        let none = await clusterError { try context([touch]).result(of: Area.self) }
        #expect(none?.code == .unavailable)
        #expect(none?.message == "The operation 12/3 has no dependency of type \"area\", where one is meant.")
        let several = await clusterError { try context([area, touch, area]).result(of: Area.self) }
        #expect(several?.code == .unavailable)
        #expect(several?.message == "The operation 12/3 has 2 dependencies of type \"area\", where one is meant.")
        let failed = await clusterError { try context([TypedInput(0, type: "area", .failed)]).result(of: Area.self) }
        #expect(failed?.code == .unavailable)
        #expect(
            failed?.message == "The dependency 1/0 (n0) left no result: its outcome is failed."
        )
    }

    @Test("The results of all dependencies of a type come in their order, with nil for an absent one")
    func several() throws {
        let context = context([
            TypedInput(2, type: "area", .succeeded, #"{"area":2}"#), TypedInput(1, type: "touch"),
            TypedInput(0, type: "area", .failed), TypedInput(3, type: "area", .succeeded, #"{"area":3}"#),
        ])
        #expect(try context.results(of: Area.self) == [["area": 2], nil, ["area": 3]])
        #expect(try context.results(of: Touch.self).count == 1)
        #expect(try context.results(of: Spell.self).isEmpty)
    }
}
