@_spi(Baton) import BatonDocuments
@_spi(Baton) package import BatonKeys
@_spi(Baton) import BatonOperations

/// The holder of the key with which a connection was made.
///
/// A coordinator without keys (`--insecure`) knows no requesters, and permits everything to everybody.
package struct Requester: Hashable, Sendable {
    /// The number of the key.
    let number: KeyNumber
    /// The name of the key, for people.
    let name: KeyName
    /// What the holder may do.
    let role: Role
    /// The running operation that the connection has proved to act for; nil for other roles, and without a proof.
    var claim: OperationClaim?

    /// The requester in the record: who asked for a job or a change, by the key's name or the operation's address.
    ///
    /// A key's name has no `/`, so that the two never collide.
    var recordName: String { claim?.operationID.description ?? name.text }

    /// The requester in the status.
    var shown: StatusDocument.Key { StatusDocument.Key(name: recordName, role: role.rawValue) }

    /// How much the requester sees in documents.
    var disclosure: Disclosure { role.disclosure }

    /// The coordinator's own worker, with a number that no key of a table has; nil never.
    static let keeper = KeyName("coordinator").map {
        Requester(number: KeyNumber(rawValue: .max), name: $0, role: .worker)
    }

    private init(number: KeyNumber, name: KeyName, role: Role) {
        self.number = number
        self.name = name
        self.role = role
    }

    /// Takes the facts of an admitted key.
    package init(_ key: AuthorizedKey) {
        number = key.number
        name = key.name
        role = key.role
    }
}

extension OperationClaim {
    /// The address of the operation.
    var operationID: OperationID { OperationID(job: JobNumber(job), index: operation) }

    /// The token of the attempt.
    var attemptToken: AttemptToken {
        AttemptToken(rawValue: recordToken, of: Incarnation(rawValue: incarnation))
    }
}
