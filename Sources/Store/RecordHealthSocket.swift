/// The socket over which commands ask the coordinator of a record for its health.
@_spi(Baton) public enum RecordHealthSocket {
    /// The path of the socket's file.
    ///
    /// A coordinator puts the socket in the place of whatever has the name.
    ///
    /// - Parameter record: the record's name as the coordinator was given it, which may be a symbolic link.
    public static func path(ofRecord record: String) -> String { record + ".health" }
}
