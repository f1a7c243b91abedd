@_spi(Baton) public import BatonStore

extension RecordPlace {
    /// What the record is in, as documents say it.
    var kind: String {
        switch self {
        case .file: "sqlite"
        case .server: "postgresql"
        }
    }
}

@_spi(Baton) extension RecordPlace {
    /// What the names of a coordinator's own files on its host begin with, such as that of its socket for questions about its health.
    ///
    /// They are beside the file of a record. A record on a server has no place on the host, and they are in the state directory then.
    ///
    /// - Parameter home: the state directory.
    public func ownFiles(in home: String) -> String {
        switch self {
        case .file(let path): path
        case .server: home + "/coordinator"
        }
    }
}
