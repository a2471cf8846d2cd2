export { Container } from 'inversify';
