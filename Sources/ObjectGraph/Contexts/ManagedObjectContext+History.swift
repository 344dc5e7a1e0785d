extension ManagedObjectContext {
    /// Who makes the changes of this context, for the histories of the stores.
    var origin: ChangeOrigin { ChangeOrigin(author: transactionAuthor, contextName: name) }
}
