/// A unit for systemd: `service`.
@_spi(Baton) public struct ServiceDocument: Document {
    /// The file name of the unit.
    public var unit: String
    /// The directory for the unit; `~` stands for the home of its user.
    public var directory: String
    /// The text of the file.
    public var text: String

    /// Describes a unit.
    public init(unit: String, directory: String, text: String) {
        self.unit = unit
        self.directory = directory
        self.text = text
    }
}
