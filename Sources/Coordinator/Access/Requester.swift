@_spi(Baton) package import BatonKeys

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

    /// Takes the facts of an admitted key.
    package init(_ key: AuthorizedKey) {
        number = key.number
        name = key.name
        role = key.role
    }
}
