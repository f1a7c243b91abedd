/// Why a run could not be carried out to its end.
package struct CapacityError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What happened, in a sentence.
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
