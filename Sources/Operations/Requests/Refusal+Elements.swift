@_spi(Baton) extension Refusal {
    /// Refuses a single operation that depends on the element at its own position.
    ///
    /// - Parameters:
    ///   - label: the operation, as an error names it.
    ///   - other: the array, likewise.
    public static func noArray(_ label: String, dependingOnElementsOf other: String) -> Refusal {
        Refusal(
            .invalid,
            "\(label.asShown) is a single operation, and depends on the element at the same position of \(other.asShown). Let it "
                + "depend on one element or on all."
        )
    }

    /// Refuses a dependency on the elements of what has none.
    ///
    /// - Parameters:
    ///   - other: the operation or job without elements, as an error names it.
    ///   - label: the dependent array, likewise.
    public static func noElements(of other: String, for label: String) -> Refusal {
        Refusal(
            .invalid,
            "\(label.asShown) depends on the element at the same position of \(other.asShown), which is no array. Let it depend on "
                + "the whole."
        )
    }

    /// Refuses a dependency on the elements of what has none, or of a job that is more than one array.
    ///
    /// - Parameters:
    ///   - address: the address in the dependency, of a job or an operation.
    ///   - label: the dependent array, as an error names it.
    public static func noElements(of address: Address, for label: String) -> Refusal {
        guard case .job(let job) = address else { return noElements(of: address.asShown, for: label) }
        return Refusal(
            .invalid,
            "\(label.asShown) depends on the element at the same position of job \(job), which is not a single array. Name one of "
                + "its arrays, as in \(job)/sim/=, or let it depend on the whole."
        )
    }

    /// Refuses a dependency on the elements of an array of another length (EL1).
    ///
    /// - Parameters:
    ///   - other: the array, as an error names it.
    ///   - otherCount: the number of its elements.
    ///   - label: the dependent array, as an error names it.
    ///   - count: the number of its elements.
    public static func otherShape(of other: String, _ otherCount: Int, for label: String, _ count: Int) -> Refusal {
        Refusal(
            .invalid,
            "\(label.asShown) has \(count) elements, and depends on the element at the same position of \(other.asShown), which has "
                + "\(otherCount). Give both arrays the same length."
        )
    }
}
