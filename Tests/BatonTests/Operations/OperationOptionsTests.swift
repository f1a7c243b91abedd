@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestValues
import Foundation
import Testing

@_spi(Baton) @testable import Baton

@Suite struct OperationOptionsTests {
    /// The declarations of the table, as Swift programs see them.
    private static let declarations = Mirror(reflecting: OptionDeclarations.shared).children.compactMap {
        $0.value as? any OptionDeclarationOfTest
    }

    @Test func `The declarations are the whole table, and each is named by its key`() {
        #expect(Self.declarations.map(\.option.key) == OperationOption.all.map(\.key))
        #expect(Mirror(reflecting: OptionDeclarations.shared).children.map(\.label) == OperationOption.all.map(\.key))
        #expect(OperationOption.all.count > 20)
    }

    @Test func `Each option of the table is set from Swift, and is part of the submission`() throws {
        for declaration in Self.declarations {
            let option = declaration.option
            for sample in option.samples {
                let options = try #require(declaration.setting(sample), "\(option.key) cannot be \(sample)")
                #expect(options != OperationOptions() && declaration.setting(nil) == OperationOptions())
                let (template, entry) = try options.parts(of: Work(.commands([["true"]])))
                #expect(option.value(in: template, entry) == sample)
                for other in OperationOption.all where other.key != option.key {
                    #expect(other.value(in: template, entry) == nil, "\(option.key) sets \(other.key)")
                }
                let operation = CommandOperation("true", options: options)
                let additions = SampleAdditions()
                let submission = try SubmissionBuilder.build(
                    [additions.addition(operation)],
                    name: nil,
                    key: nil,
                    missing: MissingAdditions()
                ).get()
                #expect(option.value(in: submission.templates[0], submission.entries[0]) == sample)
            }
        }
    }

    @Test func `Options have the types of Swift`() {
        var options = OperationOptions(retries: 2)
        options.nice = 10
        options.expected = .seconds(60)
        options.stdout = "logs/{name}.txt"
        options.grace = .forever
        options.cpus = 1.5
        options.input = Array("a\n".utf8)
        #expect(options.nice == 10 && options.expected == .seconds(60) && options.stdout == "logs/{name}.txt")
        #expect(options.grace == .forever && options.cpus == 1.5 && options.stderr == nil && options.retries == 2)
        options.memoryUpTo = 16 << 30
        options.timeoutUpTo = .seconds(60)
        options.retryDelayLimit = .seconds(9)
        options.retryOn = ["75", "timeout"]
        options.noRetryOn = ["64-66"]
        options.finalStatus = ["100"]
        options.take = ["licence": 1]
        #expect(options.take == ["licence": 1] && OperationOptions().take == [:])
        options.inputs = ["align/*.bam": "in/"]
        #expect(options.inputs == ["align/*.bam": "in/"] && OperationOptions().inputs == [:])
        options.inputNames = "item"
        #expect(options.inputNames == "item" && OperationOptions().inputNames == "number")
        options.keepResult = "always"
        #expect(options.keepResult == "always" && OperationOptions().keepResult == "onSuccess")
        #expect(options.memoryUpTo == 16 << 30 && options.timeoutUpTo == .seconds(60))
        #expect(options.retryDelayLimit == .seconds(9) && options.retryOn == ["75", "timeout"])
        #expect(options.noRetryOn == ["64-66"] && options.finalStatus == ["100"] && OperationOptions().retryOn == [])
        options.nice = nil
        #expect(options.nice == 0 && OperationOptions().setting(\.nice, to: 0) == OperationOptions())
        #expect(OperationOptions().setting(\.memory, to: 5) == OperationOptions(memory: 5))
    }

    @Test func `Properties of an operation begin with its options, and take precedence`() throws {
        let options = OperationOptions(isHeld: true).setting(\.priority, to: 5).setting(\.barrier, to: true)
            .setting(\.qos, to: "utility")
        let operation = DistributedOperation(options: options)
        #expect(operation.queuePriority == .high && operation.isBarrier && operation.qualityOfService == .utility)
        operation.queuePriority = .low
        let additions = SampleAdditions()
        let entry = try SubmissionBuilder.build(
            [additions.addition(operation)],
            name: nil,
            key: nil,
            missing: MissingAdditions()
        ).get().entries[0]
        #expect(entry.priority == .low && entry.isBarrier && entry.isHeld)
    }

    @Test(arguments: [
        OperationOptions(retries: -1), OperationOptions(retries: 65_536), OperationOptions(cpus: .infinity),
        OperationOptions(cpus: .nan), OperationOptions(memory: 0), OperationOptions(memory: -1),
        OperationOptions(resources: ["gpu": 0]), OperationOptions(labels: ["zone"]),
        OperationOptions().setting(\.nice, to: 20), OperationOptions().setting(\.qos, to: "fast"),
        OperationOptions().setting(\.stdout, to: ""), OperationOptions().setting(\.retryOn, to: ["slow"]),
        OperationOptions().setting(\.finalStatus, to: ["exit"]),
    ])
    func `A value outside its range is refused with the addition`(options: OperationOptions) {
        let error = #expect(throws: ClusterError.self) { try options.parts(of: Work(.noOperation)) }
        #expect(error?.code == .invalid)
    }

    @Test func `An option for commands is refused for a Swift operation`() {
        let options = OperationOptions().setting(\.nice, to: 1)
        let error = #expect(throws: ClusterError.self) {
            try options.parts(of: Work(.typed(type: "resize", argument: [])))
        }
        #expect(error?.code == .invalid && error?.message.contains("niceness") == true)
    }
}

/// A declaration of any type, which takes values in the shared form.
private protocol OptionDeclarationOfTest: Sendable {
    var option: OperationOption { get }

    /// Options with the value, given as its type in Swift; nil for a value that the type cannot hold.
    func setting(_ value: OptionValue?) -> OperationOptions?
}

extension OptionDeclaration: OptionDeclarationOfTest {
    fileprivate func setting(_ value: OptionValue?) -> OperationOptions? {
        var options = OperationOptions()
        guard let value else {
            options[self] = nil
            return options
        }
        guard let typed = self.value(of: value) else { return nil }
        options[self] = typed
        // What was set is read again.
        return options[self].map { optionValue(of: $0) } == value ? options : nil
    }
}
