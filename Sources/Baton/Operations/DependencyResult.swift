@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
public import Foundation

/// A finished dependency of a running operation, with its result or the absence of one.
///
/// ```swift
/// for dependency in context.dependencies where dependency.outcome == .succeeded {
///     let size = try dependency.value(of: Resize.self)
///     context.logger.info("\(dependency.address): \(size ?? 0) bytes")
/// }
/// ```
public struct DependencyResult: Sendable {
    private let input: TypedInput

    init(_ input: TypedInput) {
        self.input = input
    }

    /// The dependency's address; an array or a job has an element for each of its operations.
    public var address: OperationAddress { OperationAddress(input.operation) }

    /// The dependency's name in its job; for an element of a named array, `NAME.NUMBER`; nil for none.
    public var name: String? { input.name }

    /// The name of the dependency's type, if it is a Swift operation (``ClusterOperation/typeName``); nil for any other.
    public var typeName: String? { input.type }

    /// How the dependency ended.
    public var outcome: OperationOutcome { OperationOutcome(input.outcome) }

    /// The bytes of the result; nil if the dependency left none.
    ///
    /// - Complexity: O(bytes), a copy.
    public var data: Data? { bytes.map { Data($0) } }

    /// The bytes of the result; nil if the dependency left none.
    var bytes: [UInt8]? { input.result }

    /// Returns the output of the dependency; nil if the dependency did not succeed.
    ///
    /// - Parameter type: the dependency's type.
    /// - Throws: ``ClusterError`` with the code ``ClusterError/Code/unavailable`` if the dependency has another type, or
    ///   ``ClusterError/Code/coding`` if the result cannot be decoded.
    /// - Complexity: O(bytes), a decoding at each call.
    public func value<Work: ClusterOperation>(of type: Work.Type) throws -> Work.Output? {
        guard typeName == type.typeName else {
            throw ClusterError(
                .unavailable,
                "The dependency \(label) \(kind), not of type \"\(type.typeName.asShown)\"."
            )
        }
        guard outcome == .succeeded else { return nil }
        return try TypedCoding.output(of: type, from: bytes)
    }

    /// The address with the name, for messages: `12/0 (split)`.
    var label: String { "\(address)" + (name.map { " (\($0.asShown))" } ?? "") }

    private var kind: String { typeName.map { "is of type \"\($0.asShown)\"" } ?? "is no Swift operation" }
}
