@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations

/// A value of a known form, of which there is a sample.
protocol SampledValue: Decodable {
    static var schema: Schema { get }
    static var sample: Self { get }
}

/// An array, a dictionary or an optional, whose schema follows from the schema of its elements.
protocol DerivedValue: Decodable {
    static func schema(_ form: (any Decodable.Type) throws -> Schema) throws -> Schema
    static var sample: Self { get }
}

/// A value of a key that is always written, and that documents of an earlier version lack.
protocol LaterKeyValue: DerivedValue {}

extension Bool: SampledValue {
    static var schema: Schema { .truth }
    static var sample: Bool { false }
}

extension String: SampledValue {
    static var schema: Schema { .text }
    static var sample: String { "" }
}

extension Double: SampledValue {
    static var schema: Schema { .number }
    static var sample: Double { 0 }
}

extension SampledValue where Self: FixedWidthInteger {
    static var schema: Schema { .whole(least: isSigned ? nil : 0, greatest: nil) }
    static var sample: Self { 0 }
}

extension Int: SampledValue {}
extension Int32: SampledValue {}
extension Int64: SampledValue {}
extension UInt32: SampledValue {}
extension UInt64: SampledValue {}

extension Timestamp: SampledValue {
    static var schema: Schema { .moment }
    static var sample: Timestamp { Timestamp(rawValue: 0) }
}

extension OperationID: SampledValue {
    static var schema: Schema { .address }
    static var sample: OperationID { OperationID(job: JobNumber(1), index: 0) }
}

extension JobNumber: SampledValue {
    static var schema: Schema { .whole(least: 1, greatest: Int64(UInt32.max)) }
    static var sample: JobNumber { JobNumber(1) }
}

extension Priority: SampledValue {
    static var schema: Schema { .numbers(allCases.map { Int($0.rawValue) }) }
    static var sample: Priority { .normal }
}

/// A value that documents write as its description.
protocol DescribedValue: SampledValue, CaseIterable, CustomStringConvertible {}

extension DescribedValue {
    static var schema: Schema { .words(allCases.map(\.description)) }
}

extension OperationState: DescribedValue {
    static var sample: OperationState { .pending }
}

extension Outcome: DescribedValue {
    static var sample: Outcome { .succeeded }
}

extension DependencyCondition: DescribedValue {
    static var sample: DependencyCondition { .any }
}

extension RestartPolicy: DescribedValue {
    static var sample: RestartPolicy { .onLoss }
}

extension QualityOfService: DescribedValue {
    static var sample: QualityOfService { .default }
}

extension SettingsDocument.Value: SampledValue {
    static var schema: Schema { .anyOf([.truth, .number, .text, .list(.text), .table(.number)]) }
    static var sample: SettingsDocument.Value { .flag(false) }
}

extension Array: DerivedValue where Element: Decodable {
    static func schema(_ form: (any Decodable.Type) throws -> Schema) throws -> Schema { .list(try form(Element.self)) }
    static var sample: [Element] { [] }
}

extension Dictionary: DerivedValue where Key == String, Value: Decodable {
    static func schema(_ form: (any Decodable.Type) throws -> Schema) throws -> Schema { .table(try form(Value.self)) }
    static var sample: [String: Value] { [:] }
}

extension Optional: DerivedValue where Wrapped: Decodable {
    static func schema(_ form: (any Decodable.Type) throws -> Schema) throws -> Schema {
        .nullable(try form(Wrapped.self))
    }
    static var sample: Wrapped? { nil }
}

extension LaterKey: DerivedValue, LaterKeyValue {
    static func schema(_ form: (any Decodable.Type) throws -> Schema) throws -> Schema { try form(Value.self) }
    static var sample: LaterKey<Value> { LaterKey(wrappedValue: .withoutKey) }
}
