/// The variables that name an attempt's units of resources.
@_spi(Baton) public enum ResourceVariable {
    /// The beginning of the names.
    static let prefix = "BATON_RESOURCE_"

    /// The variable of a resource: `BATON_RESOURCE_GPU` for `gpu`, with `_` in place of dots and hyphens.
    public static func name(of resource: String) -> String {
        prefix + String(resource.uppercased().map { $0 == "." || $0 == "-" ? "_" : $0 })
    }

    /// The numbers of units as a value: `0,1`.
    static func value(_ numbers: [Int]) -> String { numbers.map(String.init).joined(separator: ",") }
}
